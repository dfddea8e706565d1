/// How long to wait after failures: each time twice as long, up to a limit, and a little more or less by chance, so
/// that those who failed together do not come back together.
package struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private let random: any RandomSource
    private var failures = 0

    package init(first: Duration, longest: Duration, random: any RandomSource) {
        self.first = first
        self.longest = longest
        self.random = random
    }

    /// Counts a failure, and returns how long to wait.
    package mutating func delay() -> Duration {
        // Beyond that the longest delay applies, and the factor would overflow.
        let factor = 1 << min(failures, 30)
        failures += 1
        // Between three quarters and one and a quarter.
        let chance = 0.75 + Double(random.next() >> 11) * 0x1p-54
        return min(first * factor, longest) * chance
    }

    /// Forgets all failures: something worked.
    package mutating func reset() { failures = 0 }
}
