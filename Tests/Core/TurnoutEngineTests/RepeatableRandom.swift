import Foundation

/// Random numbers that are the same in each run.
struct RepeatableRandom: RandomNumberGenerator {
    private var numbers: SplitMix

    /// The value of `TURNOUT_SEED`, or a fixed number, so that ordinary runs are the same.
    static let seed = ProcessInfo.processInfo.environment["TURNOUT_SEED"].flatMap(UInt64.init) ?? 20_261_121

    /// The generator for one test; `stream` separates tests with the same seed.
    init(stream: UInt64, seed: UInt64 = Self.seed) {
        numbers = SplitMix(state: seed &+ stream &* 0x9E37_79B9_7F4A_7C15)
    }

    mutating func next() -> UInt64 { numbers.next() }

    /// True with a probability of 1 in `count`.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// A random element of a non-empty list.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
