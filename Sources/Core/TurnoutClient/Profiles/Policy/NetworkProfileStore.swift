/// A profile store over a network under a ``ProfilePolicy``; see ``ProfileStore/applying(_:clock:log:)``.
public final class NetworkProfileStore: ProfileStore {
    private let store: any ProfileStore
    private let deadline: Duration?
    private let buffer: WriteBehindProfileStore?
    /// The buffer, or the store, within the deadline.
    private let uncached: any ProfileStore
    private let lookups: BatchedLookups
    /// A class, because decisions look users up here.
    private let cache: CachedProfileStore
    private let onWrite: (@Sendable ((any Error)?) -> Void)?

    /// Puts a store under a policy.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - policy: How it is used.
    ///   - clock: Measures the age of profiles and the pauses between attempts to write. Default: the system's clock.
    ///   - log: Receives failures in the background.
    ///   - onLookup: Called after each look-up in the store, with its error. Default: nil.
    ///   - onWrite: Called after each write in the background, with its error. Default: nil, the log receives it.
    ///   - onLoss: Called with the number of lost assignments. Default: nil.
    package init(
        _ store: any ProfileStore, _ policy: ProfilePolicy = ProfilePolicy(),
        clock: any Clock<Duration> = .continuous, log: any Log,
        onLookup: (@Sendable ((any Error)?) -> Void)? = nil, onWrite: (@Sendable ((any Error)?) -> Void)? = nil,
        onLoss: (@Sendable (_ assignments: Int) -> Void)? = nil
    ) {
        (self.store, deadline, self.onWrite) = (store, policy.deadline, onWrite)
        lookups = BatchedLookups(store)
        let limit = policy.bufferedAssignments
        buffer =
            limit > 0
            ? WriteBehindProfileStore(
                store, limit: limit, clock: clock, log: log, onLoss: onLoss, onWrite: onWrite) : nil
        let buffered: any ProfileStore = buffer ?? store
        uncached = if let limit = policy.deadline { DeadlineProfileStore(buffered, limit: limit) } else { buffered }
        cache = CachedProfileStore(
            uncached, users: policy.cachedUsers, lifetime: policy.age, clock: clock, onLookup: onLookup)
    }

    /// True: lookups that the cache does not serve wait for another process or machine.
    public var isRemote: Bool { true }

    /// Whether additions never wait: with a buffer.
    public var savesImmediately: Bool { buffer != nil }

    /// The failures in the background: writes that will be retried, and assignments that were refused, or lost when the
    /// store was deallocated. Failures that callers encounter are counted by the client.
    public var failures: ProfileFailures { buffer?.failures ?? ProfileFailures() }

    /// The number of assignments in the buffer.
    public var bufferedCount: Int { buffer?.waitingCount ?? 0 }

    /// The number of users in the cache, including expired entries.
    public var cachedCount: Int { cache.count }

    /// The numbers since the start.
    package var counts: CachedProfileStore.Counts { cache.counts }

    // MARK: Looking up

    /// Returns the assignments of a user.
    ///
    /// - Throws: ``ProfileStoreError``, or the store's error.
    public func profile(of userID: String) throws -> UserProfile { try cache.profile(of: userID) }

    /// Returns the assignments of a user if that does not wait; otherwise nil.
    public func profileInMemory(of userID: String) -> UserProfile? { cache.profileInMemory(of: userID) }

    /// Returns the assignments of many users. The store is asked once for all that are not cached.
    ///
    /// - Throws: ``ProfileStoreError``, or the store's error.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] { try cache.profiles(of: userIDs) }

    /// Looks up users in advance, 1,000 at a time, and caches them. Users that are cached already are not looked up
    /// again. Blocks no thread of Swift's concurrency pool.
    ///
    /// - Parameter userIDs: The users; if there are more than the cache holds, the first ones are evicted.
    /// - Throws: The store's error, and `CancellationError`. After a failed batch the next one is tried; two failures
    ///   in a row end the lookup. Users found before stay in the cache.
    public func prefetch(userIDs: [String]) async throws { try await cache.prefetch(userIDs: userIDs) }

    // MARK: Adding

    /// Adds assignments to those of a user.
    ///
    /// - Throws: ``ProfileStoreError/full`` if too many assignments wait for the store, or, without a buffer, the
    ///   store's error.
    public func save(_ assignments: [String: String], for userID: String) throws {
        try cache.save(assignments, for: userID)
    }

    // MARK: Forgetting

    /// Forgets a user in the store and in the cache, and discards queued assignments of the user.
    ///
    /// - Throws: ``ProfileStoreError/timedOut`` if a write for the user that is in progress does not end within 15
    ///   seconds, ``ProfileStoreError/cannotForget``, or the store's error.
    public func forget(_ userID: String) throws { try cache.forget(userID) }

    /// Waits until the store has all additions, or until the limit is reached.
    public func flush(within limit: Duration) async { await cache.flush(within: limit) }
}

extension NetworkProfileStore: AwaitableProfileStore {
    /// The assignments of a user. Look-ups that are made at the same time are one call, if the store can look up many
    /// users at once.
    package func awaitProfile(of userID: String) async throws -> UserProfile {
        try await cache.awaitProfile(of: userID) { [self] userID in
            // Read before the look-up: what is stored in between is then in at least one of them.
            let waiting = buffer?.waiting(for: userID)
            return try await lookUp(userID).adding(waiting)
        }
    }

    private func lookUp(_ userID: String) async throws -> UserProfile {
        if let store = store as? any AwaitableProfileStore {
            return try await inTime { try await store.awaitProfile(of: userID) }
        }
        if store is any BatchProfileStore { return try await inTime { try await self.lookups.profile(of: userID) } }
        // Calls of other stores may never end. They have the deadline of synchronous calls.
        let found: Result<UserProfile, any Error>? = await BlockingCall.valueUnlessOverloaded { [uncached] in
            Result { try uncached.profile(of: userID) }
        }
        guard let found else { throw ProfileStoreError.unresponsive }
        return try found.get()
    }

    private func inTime(_ lookUp: @escaping @Sendable () async throws -> UserProfile) async throws -> UserProfile {
        guard let deadline else { return try await lookUp() }
        let found = await value(
            within: deadline, on: .continuous, executor: DispatchExecutor.blockingCallers
        ) { () -> Result<UserProfile, any Error> in
            do { return .success(try await lookUp()) } catch { return .failure(error) }
        }
        guard let found else { throw ProfileStoreError.timedOut }
        return try found.get()
    }

    /// Adds assignments, and returns when the store has them.
    package func awaitSave(_ assignments: [String: String], for userID: String) async throws {
        defer { cache.dropping(userID) {} }
        do {
            if let buffer {
                try await buffer.save(assignments, for: userID) { try await write($0, for: userID) }
            } else {
                try await write(assignments, for: userID)
            }
        } catch {
            onWrite?(error)
            throw error
        }
        onWrite?(nil)
    }

    private func write(_ assignments: [String: String], for userID: String) async throws {
        if let store = store as? any AwaitableProfileStore {
            try await store.awaitSave(assignments, for: userID)
        } else {
            try await BlockingCall.result { [store] in try store.save(assignments, for: userID) }
        }
    }
}

/// Look-ups that are made at the same time, as few calls of a store: while one is in progress, others gather for the
/// next.
final class BatchedLookups: Sendable {
    private struct Lookup: Sendable {
        let user: ByteKey
        let outcome = OneShot<Result<UserProfile, any Error>>()
    }

    private struct State {
        var waiting: [Lookup] = []
        var isRunning = false
    }

    /// The most users of one call.
    private static let batchSize = 1_000

    private let store: any ProfileStore
    private let state = Locked(State())

    /// Gathers look-ups in a store.
    init(_ store: any ProfileStore) { self.store = store }

    /// The stored assignments of a user.
    ///
    /// - Throws: The store's error.
    func profile(of userID: String) async throws -> UserProfile {
        let lookup = Lookup(user: ByteKey(userID))
        let starts = state.withLock { state in
            state.waiting.append(lookup)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { WorkThread.run { self.run() } }
        guard let outcome = await lookup.outcome.value() else { throw ProfileStoreError.unresponsive }
        return try outcome.get()
    }

    /// Looks users up until none wait.
    private func run() {
        while true {
            let batch = state.withLock { state in
                let batch = Array(state.waiting.prefix(Self.batchSize))
                state.waiting.removeFirst(batch.count)
                state.isRunning = !batch.isEmpty
                return batch
            }
            guard !batch.isEmpty else { return }
            let found = profiles(of: Set(batch.map(\.user)))
            for lookup in batch { lookup.outcome.end(found[lookup.user]) }
        }
    }

    private func profiles(of users: Set<ByteKey>) -> [ByteKey: Result<UserProfile, any Error>] {
        var found: [ByteKey: Result<UserProfile, any Error>] = [:]
        for userIDs in users.map(\.text).bySpelling {
            do {
                guard userIDs.count > 1 else {
                    found[ByteKey(userIDs[0])] = .success(try store.profile(of: userIDs[0]))
                    continue
                }
                let profiles = try store.profiles(of: userIDs)
                for userID in userIDs { found[ByteKey(userID)] = .success(profiles[userID] ?? UserProfile()) }
            } catch {
                // A failure for one user does not lose the others. After an outage, all calls would fail.
                let isOutage = (error as? ProfileServerError)?.concernsUser != true
                for userID in userIDs {
                    found[ByteKey(userID)] =
                        isOutage ? .failure(error) : Result { try store.profile(of: userID) }
                }
            }
        }
        return found
    }
}

/// Limits the time that callers wait for look-ups in another store. Other calls take as long as the store does.
///
/// If a lookup is late, the decision is made without it (``Reason/profileUnavailable``), its assignment is not stored,
/// and the lookup's result is dropped.
///
/// At most 16 calls run at the same time. Further ones queue, for up to their full limit, until all of those are late;
/// then they fail immediately. An unresponsive store therefore delays the first few decisions. After that, once earlier
/// calls have ended, only calls that probe whether it has recovered are delayed. The stores for memcached and Redis
/// have circuit breakers, which pause requests to a failing server and admit one probe every 1–2 s with memcached, and
/// every 1–6 s with Redis.
///
/// The wrapped store is called on dedicated threads. The limit is measured by the system's clock, not by the client's:
/// the wait does not depend on tasks, so it ends in time even if it blocks all threads of Swift's concurrency pool.
final class DeadlineProfileStore: ProfileStore {
    private let store: any ProfileStore
    private let limit: Duration
    private let calls = BoundedCalls(limit: 16)

    init(_ store: any ProfileStore, limit: Duration) {
        self.store = store
        self.limit = limit
    }

    /// True: callers wait for other threads.
    var isRemote: Bool { true }
    var savesImmediately: Bool { store.savesImmediately }

    func profile(of userID: String) throws -> UserProfile {
        if let known = store.profileInMemory(of: userID) { return known }
        return try lookUp { [store] in try store.profile(of: userID) }
    }

    func profileInMemory(of userID: String) -> UserProfile? { store.profileInMemory(of: userID) }

    /// The limit applies to all users together.
    func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        try lookUp { [store] in try store.profiles(of: userIDs) }
    }

    private func lookUp<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        do { return try calls.value(within: limit, of: body) } catch BoundedCalls.Failure.timedOut {
            throw ProfileStoreError.timedOut
        } catch BoundedCalls.Failure.rejected {
            throw ProfileStoreError.unresponsive
        }
    }

    func save(_ assignments: [String: String], for userID: String) throws {
        try store.save(assignments, for: userID)
    }

    func forget(_ userID: String) throws { try store.forget(userID) }
    func flush(within limit: Duration) async { await store.flush(within: limit) }
}
