import Foundation

/// Random numbers that are the same for the same seed (SplitMix64, Sebastiano Vigna).
struct RepeatableRandom: RandomNumberGenerator {
    private var state: UInt64

    /// The value of `TURNOUT_SEED`, or a fixed number, so that ordinary runs are the same.
    static let seed = ProcessInfo.processInfo.environment["TURNOUT_SEED"].flatMap(UInt64.init) ?? 20_261_121

    /// The generator for one test; `stream` separates tests with the same seed.
    init(stream: UInt64, seed: UInt64 = Self.seed) {
        state = seed &+ stream &* 0x9E37_79B9_7F4A_7C15
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    /// True with a probability of 1 in `count`.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// A random element of a non-empty list.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
