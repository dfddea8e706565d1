import LibC
import Synchronization
import TurnoutClient

/// Looks up users for decisions, which must not wait for other connections, other processes or a stuck disk.
///
/// A lookup waits at most ``timeout`` for the file's lock, and as long for a free connection. After a failure,
/// lookups fail at once until a pause is over; then one of them tries again.
///
/// A read that has begun cannot be bounded: if the disk hangs, one thread hangs per connection. Decisions with a
/// time limit look up users on another thread.
final class ProfileReaders: Sendable {
    private final class Slot: Sendable {
        let state = Locked((reader: Reader(), generation: 0))
    }

    private struct Health {
        var breaker = CircuitBreaker(Backoff(first: .milliseconds(50), longest: .seconds(1), random: .system))
        var error: SQLiteError?
    }

    /// The first connection is used unless another thread is using it.
    private static let connectionCount = 2
    private static let timeout = Duration.milliseconds(10)

    private let file: StorageFile?
    private let options: SQLiteOptions
    private let notices: Notices
    private let slots = (0..<ProfileReaders.connectionCount).map { _ in Slot() }
    private let health = Locked(Health())
    /// Incremented when the file is replaced.
    private let generation = Atomic(0)

    init(file: StorageFile?, options: SQLiteOptions, notices: Notices) {
        self.file = file
        var options = options
        options.busyTimeout = min(options.busyTimeout, Self.timeout)
        self.options = options
        self.notices = notices
    }

    /// Reopens the connections, and ends the pause after a failure.
    func reset() {
        generation.add(1, ordering: .relaxed)
        worked()
    }

    /// Calls `body` with a connection to the file, which must exist.
    ///
    /// - Throws: ``SQLiteError`` if the file could not be read in time.
    func lookUp<Result: Sendable>(_ body: @Sendable (SQLiteSession) throws -> Result) throws -> Result {
        guard let file else { throw SQLiteError(code: 14, message: "no file", file: "memory") }
        let isOutage = health.withLock { $0.error != nil }
        let start = ContinuousClock.now
        if isOutage { try checkOutage(at: start) }
        do {
            let result = try readOnFreeConnection(file, since: start, body)
            if isOutage { worked() }
            return result
        } catch {
            let error = SQLiteError(error, file: file.path)
            failed(error, since: start)
            throw error
        }
    }

    private func readOnFreeConnection<Result: Sendable>(
        _ file: StorageFile, since start: ContinuousClock.Instant,
        _ body: @Sendable (SQLiteSession) throws -> Result
    ) throws -> Result {
        var attempts = 0
        while true {
            for slot in slots {
                let result = try slot.state.withLockIfAvailable { try read(file, &$0, body) }
                if let result { return result }
            }
            attempts += 1
            if attempts < 32 {
                sched_yield()
            } else {
                guard ContinuousClock.now < start + Self.timeout else {
                    throw SQLiteError(code: SQLiteError.timedOut, message: "earlier reads still run", file: file.path)
                }
                usleep(200)
            }
        }
    }

    private func read<Result>(
        _ file: StorageFile, _ slot: inout (reader: Reader, generation: Int),
        _ body: @Sendable (SQLiteSession) throws -> Result
    ) throws -> Result {
        let generation = generation.load(ordering: .relaxed)
        if slot.generation != generation { slot.reader.session = nil }
        slot.generation = generation
        do { return try body(try slot.reader.open(file, options)) } catch {
            slot.reader.session = nil
            throw error
        }
    }

    // MARK: Outages

    private func checkOutage(at now: ContinuousClock.Instant) throws {
        let error: SQLiteError? = health.withLock { health in
            guard let error = health.error else { return nil }
            return health.breaker.admits(at: now, until: now + .seconds(1)) ? nil : error
        }
        if let error { throw error }
    }

    private func failed(_ error: SQLiteError, since start: ContinuousClock.Instant) {
        let isNew = health.withLock { health in
            health.error = error
            return health.breaker.failed(at: .now, begunAt: start)
        }
        guard isNew else { return }
        notices.add(
            "assignments cannot be read: \(error); until they can, decisions are made without them and no stored "
                + "assignment is changed")
    }

    private func worked() {
        let wasOutage = health.withLock { health in
            defer { health.error = nil }
            return health.breaker.worked()
        }
        if wasOutage { notices.add("assignments can be read again", .info) }
    }
}
