/// Whether something that fails now and then may be tried: as long as it works by everybody, after a failure by nobody
/// for a while, then by one for all.
///
/// A value type; the time comes from the caller. What must be locked is not locked here.
package struct OutageGate: Sendable {
    private var backoff: Backoff
    /// The last failure that counted, and when somebody may try again; nil: it works.
    private var outage: (noticedAt: ContinuousClock.Instant, retryAt: ContinuousClock.Instant)?

    /// Nothing failed so far. `backoff` is how long the pauses are.
    package init(_ backoff: Backoff) { self.backoff = backoff }

    /// Whether it failed, and has not worked since.
    package var isOutage: Bool { outage != nil }

    /// Whether ``admits(at:until:)`` would let somebody try.
    package func isOpen(at now: ContinuousClock.Instant) -> Bool { outage.map { $0.retryAt <= now } ?? true }

    /// Whether the caller may try. Who is first after a pause tries for the others, who go on without until that has
    /// worked or failed, or until `end`, when the caller's time is up.
    package mutating func admits(at now: ContinuousClock.Instant, until end: ContinuousClock.Instant) -> Bool {
        guard isOpen(at: now) else { return false }
        outage?.retryAt = end
        return true
    }

    /// Notes a failure. One that was begun before the last one was noticed belongs to the same outage, and makes the
    /// pause no longer: many that wait for one server fail together.
    ///
    /// - Returns: Whether this is the first failure of an outage.
    @discardableResult
    package mutating func failed(at now: ContinuousClock.Instant, begunAt start: ContinuousClock.Instant) -> Bool {
        if let outage, start < outage.noticedAt { return false }
        defer { outage = (now, now.advanced(by: backoff.delay())) }
        return outage == nil
    }

    /// Notes that it works, and forgets all failures.
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
