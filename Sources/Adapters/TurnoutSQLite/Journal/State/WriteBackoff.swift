package import TurnoutClient

/// The pauses between attempts to write after failures of the file. Part of ``JournalState``.
package struct WriteBackoff: Sendable {
    private var failure: (error: SQLiteError, until: ContinuousClock.Instant)?
    private var pauses: Backoff

    /// Creates a state without failures.
    package init(random: any RandomSource = .system) {
        pauses = Backoff(first: .milliseconds(50), longest: .seconds(5), random: random)
    }

    /// The last failure; nil after a success.
    package var error: SQLiteError? { failure?.error }

    /// The last failure while its pause is not over; nil if the file may be tried.
    package func errorDuringPause(at now: ContinuousClock.Instant) -> SQLiteError? {
        failure.flatMap { now < $0.until ? $0.error : nil }
    }

    /// The time until the pause is over, at least a millisecond; zero without a failure.
    package func remainder(at now: ContinuousClock.Instant) -> Duration {
        failure.map { max(.milliseconds(1), now.duration(to: $0.until)) } ?? .zero
    }

    /// The file could not be read or written: the next pause begins, about twice as long as the previous one.
    /// Returns whether this is the first failure in a row.
    package mutating func failed(_ error: SQLiteError, at now: ContinuousClock.Instant) -> Bool {
        defer { failure = (error, now + pauses.delay()) }
        return failure == nil
    }

    /// The file was written. Returns whether that ends a series of failures.
    package mutating func succeeded() -> Bool {
        defer {
            failure = nil
            pauses.reset()
        }
        return failure != nil
    }
}
