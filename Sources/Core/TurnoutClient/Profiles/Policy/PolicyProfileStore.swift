/// A profile store under a ``ProfilePolicy``; see ``ProfileStore/applying(_:clock:log:)``.
public final class PolicyProfileStore: ProfileStore {
    /// Serves all calls that the cache does not.
    private let store: any ProfileStore
    /// The same, with a cache: a class, because decisions look users up here.
    private let cache: CachedProfileStore?
    private let buffer: WriteBehindProfileStore?
    private let bounded: DeadlineProfileStore?
    private let fallback: FallbackProfileStore?

    /// Puts a store under a policy.
    init(_ store: any ProfileStore, _ policy: ProfilePolicy, clock: any Clock<Duration>, log: any Log) {
        fallback = policy.fallback.map { store.fallingBack(to: $0.store, copying: $0.copies, log: log) }
        let base: any ProfileStore = fallback ?? store
        bounded = policy.deadline.map { base.within($0, calls: policy.concurrentCalls, log: log) }
        let timed: any ProfileStore = bounded ?? base
        // The buffer's thread has no deadline: a write that exceeded one would be repeated.
        buffer = policy.writeBehind.map {
            WriteBehindProfileStore(
                timed, writingTo: base, limit: $0.limit, clock: clock, log: log, onLoss: $0.onLoss)
        }
        let buffered: any ProfileStore = buffer ?? timed
        cache = policy.cache.map { buffered.cached(users: $0.users, for: $0.lifetime, clock: clock) }
        self.store = cache ?? buffered
        isRemote = self.store.isRemote
        savesImmediately = self.store.savesImmediately
    }

    /// Whether lookups that the cache does not serve wait for another process, machine or thread.
    public let isRemote: Bool

    /// Whether additions never wait: with a buffer, or if those of the store do not.
    public let savesImmediately: Bool

    /// The failures in the background: writes that will be retried, late writes that failed, copies that failed, and
    /// assignments that were lost when the store was deallocated. Failures that callers encounter are counted by the
    /// client.
    public var failures: ProfileFailures {
        [buffer?.failures, bounded?.failures, fallback?.failures].reduce(into: ProfileFailures()) { sum, part in
            for kind in ProfileFailures.Kind.allCases { sum[kind] += part?[kind] ?? 0 }
        }
    }

    /// The number of assignments in the buffer.
    public var bufferedCount: Int { buffer?.waitingCount ?? 0 }

    /// The number of users in the cache, including expired entries.
    public var cachedCount: Int { cache?.count ?? 0 }

    /// Returns the assignments of a user.
    ///
    /// - Throws: ``ProfileStoreError``, or the store's error.
    public func profile(of userID: String) throws -> UserProfile {
        if let cache { try cache.profile(of: userID) } else { try store.profile(of: userID) }
    }

    /// Returns the assignments of a user if that does not wait; otherwise nil.
    public func profileInMemory(of userID: String) -> UserProfile? {
        if let cache { cache.profileInMemory(of: userID) } else { store.profileInMemory(of: userID) }
    }

    /// Returns the assignments of many users. The store is asked once for all that are not cached.
    ///
    /// - Throws: ``ProfileStoreError``, or the store's error.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] { try store.profiles(of: userIDs) }

    /// Looks up users in advance, 1,000 at a time, and caches them. Users that are cached already are not looked up
    /// again. Does nothing without a cache. Blocks no thread of Swift's concurrency pool.
    ///
    /// - Parameter userIDs: The users; if there are more than the cache holds, the first ones are evicted.
    /// - Throws: The store's error, and `CancellationError`. After a failed batch the next one is tried; two failures
    ///   in a row end the lookup. Users found before stay in the cache.
    public func prefetch(userIDs: [String]) async throws { try await cache?.prefetch(userIDs: userIDs) }

    /// Adds assignments to those of a user.
    ///
    /// - Throws: ``ProfileStoreError``, or the store's error. An addition that fails with
    ///   ``ProfileStoreError/timedOut`` may still be stored.
    public func save(_ assignments: [String: String], for userID: String) throws {
        try store.save(assignments, for: userID)
    }

    /// Forgets a user in the store, in its fallback, and in the cache, and discards queued assignments of the user.
    ///
    /// - Throws: ``ProfileStoreError/timedOut`` if a write for the user that is in progress does not end within 15
    ///   seconds, ``ProfileStoreError/cannotForget``, or the store's error.
    public func forget(_ userID: String) throws { try store.forget(userID) }

    /// Waits until the store has all additions, including late and buffered ones, or until the limit is reached.
    public func flush(within limit: Duration) async { await store.flush(within: limit) }
}
