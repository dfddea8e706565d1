/// A circuit breaker: admits all calls while they succeed, none for a while after a failure, then a single probe.
///
/// A value type; the caller provides the time and any locking.
package struct CircuitBreaker: Sendable {
    private var backoff: Backoff
    /// The time of the last failure that counted, and of the next probe; nil while calls succeed.
    private var outage: (noticedAt: ContinuousClock.Instant, retryAt: ContinuousClock.Instant)?

    /// Creates a closed circuit breaker. `backoff` determines the length of the pauses.
    package init(_ backoff: Backoff) { self.backoff = backoff }

    /// Whether a call failed, and none has succeeded since.
    package var isOutage: Bool { outage != nil }

    /// Whether a call would be admitted. Does not make it the probe.
    package func wouldAdmit(at now: ContinuousClock.Instant) -> Bool { outage.map { $0.retryAt <= now } ?? true }

    /// Whether the caller may proceed. The first caller after a pause is the probe; others are not admitted until it
    /// has succeeded or failed, or until `end`, when its time is up. `now` is the time that is passed to
    /// ``failed(at:begunAt:)`` as the start of the call; with an earlier one, the failure of a probe could be ignored.
    package mutating func admits(at now: ContinuousClock.Instant, until end: ContinuousClock.Instant) -> Bool {
        guard wouldAdmit(at: now) else { return false }
        outage?.retryAt = end
        return true
    }

    /// Records a failure. A call that began before the last failure was noticed belongs to the same outage and does not
    /// extend the pause: calls that wait for the same server fail together.
    ///
    /// - Returns: Whether this is the first failure of an outage.
    @discardableResult
    package mutating func failed(at now: ContinuousClock.Instant, begunAt start: ContinuousClock.Instant) -> Bool {
        if let outage, start < outage.noticedAt { return false }
        defer { outage = (now, now.advanced(by: backoff.delay())) }
        return outage == nil
    }

    /// Records a success, and resets the backoff.
    ///
    /// - Returns: Whether this is the end of an outage.
    @discardableResult
    package mutating func worked() -> Bool {
        guard outage != nil else { return false }
        backoff.reset()
        outage = nil
        return true
    }
}

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
