/// Delays after failures, which double up to a limit. Random jitter keeps clients that failed together from retrying
/// together.
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

    /// Counts a failure, and returns the delay.
    package mutating func delay() -> Duration {
        // Higher powers exceed the longest delay, and the factor would overflow.
        let factor = 1 << min(failures, 30)
        failures += 1
        // Between three quarters and one and a quarter.
        let chance = 0.75 + Double(random.next() >> 11) * 0x1p-54
        return min(first * factor, longest) * chance
    }

    /// Resets the delay after a success.
    package mutating func reset() { failures = 0 }
}
