/// Writes assignments to another store in the background, so that decisions do not wait for it.
///
/// Queued assignments are kept in memory, merged by user, and included in every lookup. Threads write them to the
/// wrapped store: one call for many users if it is a ``BatchProfileStore``, otherwise eight users at the same time if
/// it waits for another process or machine. A failure is followed by a pause, increasingly up to about 30 seconds, and
/// then by other users. Assignments that the store can never take, as those of a user whose value there is of another
/// program, are given up. Others are lost only with the store itself or the process: close the client
/// (``FlagClient/close(within:)``) before the process ends. A process that ends normally writes them for a second at
/// most. Closing and flushing try three times in a row; assignments that the wrapped store does not accept stay in
/// memory.
package final class WriteBehindProfileStore: ProfileStore {
    private let store: any ProfileStore
    private let limit: Int
    private let clock: any Clock<Duration>
    private let log: any Log
    private let onLoss: (@Sendable (Int) -> Void)?
    private let onWrite: (@Sendable ((any Error)?) -> Void)?
    private let counter: ProfileFailureCounter
    private let state: Locked<PendingAssignments>
    private let exitDrain = ExitDrain()

    /// Creates a buffer in front of a store, so that writes do not wait for it.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - limit: The maximum number of queued assignments; further ones are lost. Make it large enough for an outage
    ///     and the last pause after it. Default: 10,000, about 3 MB.
    ///   - clock: Measures pauses after failures, which grow from 0.2 seconds to 30, with a jitter of a quarter.
    ///     Default: the system's clock.
    ///   - log: Receives reports of failures, without user ids. Default: the standard error output.
    ///   - onLoss: Called with the number of lost assignments, on any thread; only the decision that caused the loss
    ///     waits for it. For queued assignments it is called when the store is deallocated, not when the process ends.
    ///     Default: nil.
    ///   - onWrite: Called on a writing thread after each write, with its error. Default: nil.
    package init(
        _ store: any ProfileStore, limit: Int = 10_000, clock: any Clock<Duration> = .continuous,
        log: any Log = .standardError,
        onLoss: (@Sendable (_ assignments: Int) -> Void)? = nil,
        onWrite: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        self.store = store
        self.limit = limit
        self.clock = clock
        self.log = log
        self.onLoss = onLoss
        self.onWrite = onWrite
        isRemote = store.isRemote
        state = Locked(
            PendingAssignments(
                backoff: Backoff(first: .milliseconds(200), longest: .seconds(30), random: .system)))
        counter = ProfileFailureCounter("profile store behind a buffer", log: log)
        exitDrain.begin { [weak self] in
            self?.flushAtExit()
            // A buffer that is being deinitialized writes nothing.
            return true
        } report: { [weak self] in
            self?.reportUnwritten("are lost, because the process ends")
        }
    }

    deinit {
        exitDrain.end()
        let count = state.withLock { $0.count }
        if count > 0 {
            counter.add(.writeLost, count: count)
            onLoss?(count)
        }
    }

    /// Whether lookups in the wrapped store wait for another process or machine.
    package let isRemote: Bool

    /// True: new assignments are queued in memory.
    package var savesImmediately: Bool { true }

    /// Background failures: failed attempts to write, and assignments that were lost with the store. Assignments that
    /// were rejected because the buffer is full are reported to callers, which count them.
    package var failures: ProfileFailures { counter.failures }

    /// The number of queued assignments.
    package var waitingCount: Int { state.withLock { $0.count } }

    /// The number of waiting flushes.
    package var flushCount: Int { state.withLock { $0.flushCount } }

    // MARK: Looking up

    /// The user's earlier assignments, including queued ones.
    ///
    /// - Throws: Errors from the wrapped store.
    package func profile(of userID: String) throws -> UserProfile {
        // Read before calling the wrapped store: assignments written in between are then in at least one of them.
        let waiting = state.withLock { $0[userID] }
        return try store.profile(of: userID).adding(waiting)
    }

    /// The user's earlier assignments, if the wrapped store has them in memory.
    package func profileInMemory(of userID: String) -> UserProfile? {
        let waiting = state.withLock { $0[userID] }
        return store.profileInMemory(of: userID)?.adding(waiting)
    }

    /// The earlier assignments of many users; the wrapped store is called once.
    ///
    /// - Throws: Errors from the wrapped store.
    package func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        let userIDs = userIDs.bySpelling.first ?? []
        let waiting = state.withLock { state in userIDs.compactMap { id in state[id].map { (id, $0) } } }
        var profiles = try store.profiles(of: userIDs)
        for (userID, added) in waiting { profiles[userID] = profiles[userID, default: UserProfile()].adding(added) }
        return profiles
    }

    // MARK: Adding

    /// Queues assignments. Never waits.
    ///
    /// - Throws: ``ProfileStoreError/full`` if too many are queued; these assignments are lost.
    package func save(_ assignments: [String: String], for userID: String) throws {
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

    /// Writes assignments of a user with `write`, together with the queued ones, which could replace them later.
    ///
    /// - Throws: The error of `write`; the queued assignments stay queued. ``ProfileStoreError/timedOut`` if a write of
    ///   this user is in progress and does not end within 15 seconds.
    package func save(
        _ assignments: [String: String], for userID: String, by write: ([String: String]) async throws -> Void
    ) async throws {
        let user = ByteKey(userID)
        let queued = try await claim(user)
        var written: [String: String] = [:]
        defer { release(user, written) }
        try await write(queued.merging(assignments) { $1 })
        written = queued
    }

    private func claim(_ user: ByteKey) async throws -> [String: String] {
        while true {
            let written = OneShot<Void>()
            if let queued = state.withLock({ $0.claim(user) { written.end(()) } }) { return queued }
            guard await value(within: Self.writeLimit, on: clock, of: { await written.value() }) != nil else {
                throw ProfileStoreError.timedOut
            }
        }
    }

    private func release(_ user: ByteKey, _ written: [String: String]) {
        let (ends, starts) = state.withLock { state in
            (state.written(written, for: user), state[user.text] != nil && state.beginWriting())
        }
        for end in ends { end() }
        if starts { startWriting() }
    }

    // MARK: Forgetting

    /// The longest time to wait for the end of a write of the same user.
    private static let writeLimit = Duration.seconds(15)

    /// Discards the queued assignments of a user, and forgets the user in the wrapped store. If assignments of this
    /// user are being written, waits for the end of that write.
    ///
    /// - Throws: ``ProfileStoreError/timedOut`` if that write does not end within 15 seconds, or the store's error.
    package func forget(_ userID: String) throws {
        // Before anything is discarded, because the store may be unable to forget.
        try store.forget(userID)
        let written = OneShot<Void>()
        let (ends, isWriting) = state.withLock { $0.remove(userID) { written.end(()) } }
        for end in ends { end() }
        if isWriting, written.value(within: Self.writeLimit) == nil { throw ProfileStoreError.timedOut }
        try store.forget(userID)
    }

    // MARK: Writing

    /// Starts the writer. If no thread can be created, the next addition or flush tries again: the caller may be a
    /// decision, which must not wait for the wrapped store.
    private func startWriting() {
        guard !WorkThread.start({ [weak self] in self?.write() }) else { return }
        state.withLock { $0.endWriting() }
    }

    /// Writes until nothing is queued, or a write fails.
    private func write() {
        let batchStore = store as? any BatchProfileStore
        let count = batchStore != nil ? Self.batchSize : isRemote ? Self.callLimit : 1
        while case let batch = state.withLock({ $0.next(count) }), !batch.isEmpty {
            if batch.count > 1, let batchStore,
                (try? batchStore.save(batch.map { ($0.user.text, $0.assignments) })) == true
            {
                end(batch)
            } else if let pause = writeEach(batch) {
                return reschedule(after: pause)
            }
        }
    }

    /// The most users of one call of a ``BatchProfileStore``.
    private static let batchSize = 256
    /// The most calls at the same time.
    private static let callLimit = 8

    /// Writes each user with a call, so that a failure for one user does not lose the others. Stops at an outage of the
    /// store.
    ///
    /// - Returns: The length of the pause if a write failed.
    private func writeEach(_ batch: [(user: ByteKey, assignments: [String: String])]) -> Duration? {
        let rest = Locked(batch[...])
        let failed = Locked<[ByteKey]>([])
        let writeRest = { @Sendable [self] in
            while let (user, assignments) = rest.withLock({ $0.popFirst() }) {
                guard !write(assignments, for: user) else { continue }
                let others = rest.withLock { rest in
                    defer { rest = [] }
                    return rest.map(\.user)
                }
                failed.withLock { $0 += [user] + others }
            }
        }
        let others = (1..<(isRemote ? min(Self.callLimit, batch.count) : 1)).map { _ in
            let done = OneShot<Void>()
            WorkThread.run {
                writeRest()
                done.end(())
            }
            return done
        }
        writeRest()
        for done in others { done.blockingValue() }
        let users = failed.withLock { $0 }
        guard !users.isEmpty else { return nil }
        let (pause, ends) = state.withLock { $0.failed(for: users) }
        for end in ends { end() }
        return pause
    }

    /// Returns false if no user can be written.
    private func write(_ assignments: [String: String], for user: ByteKey) -> Bool {
        do {
            try store.save(assignments, for: user.text)
            end([(user, assignments)])
        } catch let error as ProfileServerError where error.concernsUser {
            let (lost, ends) = state.withLock { $0.giveUp(user) }
            counter.add(.writeLost, count: lost, error)
            onLoss?(lost)
            for end in ends { end() }
        } catch {
            counter.add(.writeFailed, error, isTold: onWrite != nil)
            onWrite?(error)
            return false
        }
        return true
    }

    private func end(_ batch: [(user: ByteKey, assignments: [String: String])]) {
        onWrite?(nil)
        let ends = state.withLock { state in batch.flatMap { state.written($0.assignments, for: $0.user) } }
        for end in ends { end() }
    }

    /// The queued assignments of a user, or nil.
    package func waiting(for userID: String) -> [String: String]? { state.withLock { $0[userID] } }

    private func reschedule(after pause: Duration) {
        let task = Task.detached(executorPreference: DispatchExecutor.blockingCallers) { [weak self, clock] in
            try? await clock.pause(for: pause)
            self?.startWriting()
        }
        state.withLock { $0.pause(task) }
    }

    // MARK: Flushing

    /// Waits until all queued assignments are written, writing has failed three times in a row, or the limit is
    /// reached. Remaining assignments stay queued, and are retried as long as the store exists.
    package func flush(within limit: Duration) async {
        let elapsed = clock.stopwatch()
        await waitForFlush(within: limit, on: clock) {
            beginFlush($0)
        } leave: { number in
            state.withLock { $0.leaveFlush(number) }
        }
        reportUnwritten("are not written yet")
        await store.flush(within: limit - elapsed())
    }

    private func beginFlush(_ end: @escaping FlushList<ByteKey>.End) -> Int? {
        let (number, starts) = state.withLock { state in
            let number = state.flush(end)
            return (number, number != nil && state.beginWriting())
        }
        if starts { startWriting() }
        return number
    }

    /// Blocks until all queued assignments are written, or writing has failed three times in a row.
    private func flushAtExit() {
        let done = OneShot<Void>()
        if beginFlush({ done.end(()) }) != nil { done.blockingValue() }
    }

    private func reportUnwritten(_ outcome: String) {
        let left = waitingCount
        if left > 0 { log(.warning, "profile store behind a buffer: \(left) assignments \(outcome)") }
    }
}

extension UserProfile {
    /// This profile with assignments that were added later.
    func adding(_ assignments: [String: String]?) -> UserProfile {
        guard let assignments else { return self }
        return UserProfile(self.assignments.merging(assignments) { $1 })
    }
}
