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
