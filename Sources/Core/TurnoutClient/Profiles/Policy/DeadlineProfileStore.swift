/// Limits the time that callers wait for another store.
///
/// If a lookup is late, the decision is made without it (``Reason/profileUnavailable``), its assignment is not stored,
/// and the lookup's result is dropped. A late write continues in the background; further writes for the same user queue
/// behind it, and their callers do not wait.
///
/// The limit applies to each call. A decision for a new user makes two calls, a lookup and a write, and may wait twice
/// as long, unless assignments are written behind.
///
/// The number of concurrent calls is limited, to 16 by default. Further calls queue, for up to their full limit, until
/// all of those are late; then they fail immediately. An unresponsive store therefore delays the first few decisions.
/// After that, once earlier calls have ended, only calls that probe whether it has recovered are delayed. The stores
/// for memcached and Redis have circuit breakers, which pause requests to a failing server and admit one probe every
/// 1–2 s with memcached, and every 1–6 s with Redis.
///
/// The wrapped store is called on dedicated threads. The limit is measured by the system's clock, not by the client's:
/// the wait does not depend on tasks, so it ends in time even if it blocks all threads of Swift's concurrency pool.
package final class DeadlineProfileStore: ProfileStore {
    private let store: any ProfileStore
    private let limit: Duration
    private let calls: BoundedCalls
    private let writes: OrderedWrites
    private let counter: ProfileFailureCounter

    /// Sets a deadline for a store; see ``ProfileStore/within(_:calls:log:)``.
    package init(_ store: any ProfileStore, limit: Duration, calls: Int = 16, log: any Log = .standardError) {
        self.store = store
        self.limit = limit
        let calls = BoundedCalls(limit: calls)
        let counter = ProfileFailureCounter("profile store with deadline", log: log)
        self.calls = calls
        self.counter = counter
        writes = OrderedWrites(store, calls: calls) { count, error in counter.add(.writeLost, count: count, error) }
    }

    /// True: callers wait for other threads.
    package var isRemote: Bool { true }

    /// Background failures: late writes that failed. Failures that are reported to callers are counted by them.
    package var failures: ProfileFailures { counter.failures }

    /// The user's earlier assignments.
    ///
    /// - Throws: ``ProfileStoreError``, or errors from the wrapped store.
    package func profile(of userID: String) throws -> UserProfile {
        if let known = store.profileInMemory(of: userID) { return known }
        return try lookUp { [store] in try store.profile(of: userID) }
    }

    /// The user's earlier assignments, if the wrapped store has them in memory.
    package func profileInMemory(of userID: String) -> UserProfile? { store.profileInMemory(of: userID) }

    /// The earlier assignments of many users; the limit applies to all of them together.
    ///
    /// - Throws: ``ProfileStoreError``, or errors from the wrapped store.
    package func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        let userIDs = userIDs.bySpelling.first ?? []
        return try lookUp { [store] in try store.profiles(of: userIDs) }
    }

    private func lookUp<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        do {
            return try calls.value(within: limit, of: body)
        } catch let failure as BoundedCalls.Failure {
            throw ProfileStoreError(failure)
        }
    }

    /// Adds assignments of a user.
    ///
    /// - Throws: ``ProfileStoreError``, or errors from the wrapped store. After ``ProfileStoreError/timedOut`` they may
    ///   still be stored.
    package func save(_ assignments: [String: String], for userID: String) throws {
        guard !assignments.isEmpty else { return }
        try writes.add(assignments, for: userID, within: limit)
    }

    /// Forgets a user, after the writes for the user that are in progress. Has no deadline of its own.
    ///
    /// - Throws: ``ProfileStoreError/timedOut`` if these writes take more than 15 seconds, or errors from the wrapped
    ///   store.
    package func forget(_ userID: String) throws {
        guard writes.waitForWrites(of: userID, within: .seconds(15)) else { throw ProfileStoreError.timedOut }
        try store.forget(userID)
    }

    /// Waits until the wrapped store has all assignments, including late ones, by the system's clock.
    package func flush(within limit: Duration) async {
        let elapsed = ContinuousClock().stopwatch()
        await writes.flush(within: limit)
        await store.flush(within: limit - elapsed())
    }
}

extension ProfileStoreError {
    fileprivate init(_ failure: BoundedCalls.Failure) {
        switch failure {
        case .timedOut: self = .timedOut
        case .rejected: self = .unresponsive
        }
    }
}

extension ProfileStore {
    /// Returns this store with a deadline for each call. A decision for a new user makes two calls.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait for a call.
    ///   - calls: The maximum number of concurrent calls; further ones queue, within the limit. Default: 16.
    ///   - log: Receives reports of late writes that failed, without user ids. Default: the standard error output.
    /// - Returns: The store with a deadline.
    package func within(
        _ limit: Duration, calls: Int = 16, log: any Log = .standardError
    ) -> DeadlineProfileStore {
        DeadlineProfileStore(self, limit: limit, calls: calls, log: log)
    }
}
