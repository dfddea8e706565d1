/// Random numbers that are the same in every run: SplitMix64 with a fixed seed.
struct RandomSource: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A number from 0 up to, but not including, `limit`.
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// True with a probability of `percent` in a hundred.
    mutating func happens(_ percent: Int) -> Bool { below(100) < percent }

    /// A random element; all are equally likely.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// A random index, with a probability proportional to its weight.
    mutating func pick(weights: [Int]) -> Int {
        var rest = below(weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            guard rest >= weight else { return index }
            rest -= weight
        }
        return weights.count - 1
    }
}
