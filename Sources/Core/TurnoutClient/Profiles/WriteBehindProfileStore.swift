/// Adds assignments to another store later, so that no decision waits for that.
///
/// ```swift
/// configuration.profiles = store.writingBehind(limit: 10_000) { lost in metrics.count("assignments lost", lost) }
/// ```
///
/// What was added waits in memory, merged by user, and is part of every look-up. One thread at a time, which belongs to
/// nobody else, hands it to the other store, one user after the other. After a failure it pauses, each time longer, up
/// to some 30 seconds, and goes on with another user. Nothing that waits is given up, except with the store itself or
/// the process: close the client (``Client/close(within:)``) before the process ends. Closing and flushing try three
/// times in a row; what the other store does not take then stays in memory.
public final class WriteBehindProfileStore: ProfileStore {
    private let store: any ProfileStore
    /// The store without its deadline, if it has one: who writes has time, and what is late would be written again.
    private let patient: any ProfileStore
    private let limit: Int
    private let clock: any Clock<Duration>
    private let log: any Log
    private let onLoss: (@Sendable (Int) -> Void)?
    private let ledger: ProfileLedger
    private let state: Locked<PendingAssignments>

    /// Puts a buffer in front of a store; see ``ProfileStore/writingBehind(limit:clock:log:onLoss:)``.
    public init(
        _ store: any ProfileStore, limit: Int = 10_000, clock: any Clock<Duration> = .continuous,
        log: any Log = .standardError, onLoss: (@Sendable (_ assignments: Int) -> Void)? = nil
    ) {
        self.store = store
        patient = (store as? DeadlineProfileStore)?.store ?? store
        self.limit = limit
        self.clock = clock
        self.log = log
        self.onLoss = onLoss
        isRemote = store.isRemote
        state = Locked(
            PendingAssignments(
                backoff: Backoff(first: .milliseconds(200), longest: .seconds(30), random: .system)))
        ledger = ProfileLedger("profile store behind a buffer", log: log)
    }

    deinit {
        let count = state.withLock { $0.count }
        if count > 0 {
            ledger.add(.writeLost, count: count)
            onLoss?(count)
        }
    }

    /// Whether look-ups in the other store wait for another process or machine.
    public let isRemote: Bool

    /// What went wrong behind the callers' backs: additions that failed for now, and assignments that were lost with
    /// the store. What is refused because too many wait callers are told, and count themselves.
    public var failures: ProfileFailures { ledger.failures }

    /// How many assignments wait to be written.
    public var waitingCount: Int { state.withLock { $0.count } }

    /// How many flushes wait.
    package var flushCount: Int { state.withLock { $0.flushCount } }

    // MARK: Looking up

    /// What a user was assigned before, with what waits to be written.
    ///
    /// - Throws: What the other store throws.
    public func profile(of userID: String) throws -> UserProfile {
        // Before the other store is asked: what is written in between is then in one of them.
        let waiting = state.withLock { $0[userID] }
        return try store.profile(of: userID).adding(waiting)
    }

    /// What a user was assigned before, if the other store knows without waiting.
    public func profileInMemory(of userID: String) -> UserProfile? {
        let waiting = state.withLock { $0[userID] }
        return store.profileInMemory(of: userID)?.adding(waiting)
    }

    /// What many users were assigned before; the other store is asked once.
    ///
    /// - Throws: What the other store throws.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        let userIDs = userIDs.bySpelling.first ?? []
        let waiting = state.withLock { state in userIDs.compactMap { id in state[id].map { (id, $0) } } }
        var profiles = try store.profiles(of: userIDs)
        for (userID, added) in waiting { profiles[userID] = profiles[userID, default: UserProfile()].adding(added) }
        return profiles
    }

    // MARK: Adding

    /// Adds assignments to those that wait. Never waits itself.
    ///
    /// - Throws: ``ProfileStoreError/full`` if too many wait; these are lost.
    public func remember(_ assignments: [String: String], for userID: String) throws {
        guard !assignments.isEmpty else { return }
        let (isTaken, starts) = state.withLock { state in
            guard state.add(assignments, for: userID, limit: limit) else { return (false, false) }
            return (true, state.beginWriting())
        }
        if starts { startWriting() }
        guard isTaken else {
            onLoss?(assignments.count)
            throw ProfileStoreError.full
        }
    }

    // MARK: Writing

    private func startWriting() { BlockingCall.startUnbounded { [weak self] in self?.write() } }

    /// Writes until nothing waits any more, or something fails.
    private func write() {
        while let (user, assignments) = state.withLock({ $0.next() }) {
            do {
                try patient.remember(assignments, for: user.text)
                for end in state.withLock({ $0.written(assignments, for: user) }) { end() }
            } catch {
                ledger.add(.writeFailed, error)
                let (pause, ends) = state.withLock { $0.failed(for: user) }
                for end in ends { end() }
                return goOn(after: pause)
            }
        }
    }

    private func goOn(after pause: Duration) {
        let task = Task(executorPreference: DispatchExecutor.waitedFor) { [weak self, clock] in
            try? await clock.pause(for: pause)
            self?.startWriting()
        }
        state.withLock { $0.pause(task) }
    }

    // MARK: Ends

    /// Waits until everything that waits now is written, writing has failed three times in a row, or the time is up.
    /// What is left stays, and is tried again as long as the store lives.
    public func flush(within limit: Duration) async {
        let elapsed = clock.stopwatch()
        await waitForFlush(within: limit, on: clock) { end in
            state.withLock { $0.flush(end) }
        } leave: { number in
            state.withLock { $0.leaveFlush(number) }
        }
        let left = waitingCount
        if left > 0 { log(.warning, "profile store behind a buffer: \(left) assignments are not written yet") }
        await store.flush(within: limit - elapsed())
    }
}

extension UserProfile {
    /// This profile with assignments that were added later.
    func adding(_ assignments: [String: String]?) -> UserProfile {
        guard let assignments else { return self }
        return UserProfile(self.assignments.merging(assignments) { $1 })
    }
}

extension ProfileStore {
    /// This store, for those who do not wait until it has taken what they add.
    ///
    /// - Parameters:
    ///   - limit: How many assignments may wait to be written; further ones are lost. Make it large enough for an
    ///     outage and the last pause after it. Default: 10,000, some 3 MB.
    ///   - clock: Measures pauses after failures, which grow from 0.2 seconds to 30, a quarter more or less. Default:
    ///     the system's clock.
    ///   - log: Where failures are reported, without user ids. Default: the standard error output.
    ///   - onLoss: Called with the number of assignments that were lost, on any thread, while nobody waits for it but
    ///     the decision that met it. For what waits it is called when the store is deallocated, not when the process
    ///     ends. Default: nobody.
    /// - Returns: The store behind a buffer.
    public func writingBehind(
        limit: Int = 10_000, clock: any Clock<Duration> = .continuous, log: any Log = .standardError,
        onLoss: (@Sendable (_ assignments: Int) -> Void)? = nil
    ) -> WriteBehindProfileStore {
        WriteBehindProfileStore(self, limit: limit, clock: clock, log: log, onLoss: onLoss)
    }
}
