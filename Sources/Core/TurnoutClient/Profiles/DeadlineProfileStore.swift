/// Waits for each call of another store only so long.
///
/// ```swift
/// configuration.profiles = store.within(.milliseconds(20)).cached()
/// ```
///
/// A look-up that is late has failed: the decision is made without it and says so (``Reason/profileUnavailable``),
/// nothing is remembered, and what the look-up brings later is dropped. An addition that is late goes on behind the
/// caller's back; those for the same user that come meanwhile go after it, and their callers do not wait.
///
/// The limit is for each call. A decision for a new user makes two, the look-up and the addition, so it may wait twice
/// as long; ``ProfileStore/writingBehind(limit:clock:log:onLoss:)`` around this store takes the second away.
///
/// Only so many calls are under way at a time, 16 by default. Further ones wait for their turn, up to their whole
/// limit, until all of those are late; then they fail at once. So a store that does not answer holds up the first few
/// decisions, and then, when calls of it have ended by themselves, those who look whether it works again: with Redis
/// and memcached, which leave a server alone for a while, one every one or two seconds, later up to six with Redis.
///
/// A store that lets its callers wait for each other, such as ``FallbackProfileStore``, goes inside this one: around
/// it, they wait for more than one call.
///
/// The other store is called on threads of its own. The limit is measured by the system's clock, not by the client's:
/// the wait depends on no task, so that it ends in time even if all threads of Swift's tasks stand in it.
public final class DeadlineProfileStore: ProfileStore {
    /// The other store, for who waits however long it takes.
    let store: any ProfileStore
    private let limit: Duration
    private let calls: BoundedCalls
    private let writes: OrderedWrites
    private let ledger: ProfileLedger

    /// Sets a deadline for a store; see ``ProfileStore/within(_:calls:log:)``.
    public init(_ store: any ProfileStore, limit: Duration, calls: Int = 16, log: any Log = .standardError) {
        self.store = store
        self.limit = limit
        let calls = BoundedCalls(limit: calls)
        let ledger = ProfileLedger("profile store with deadline", log: log)
        self.calls = calls
        self.ledger = ledger
        writes = OrderedWrites(store, calls: calls) { count, error in ledger.add(.writeLost, count: count, error) }
    }

    /// True: callers wait for other threads.
    public var isRemote: Bool { true }

    /// What went wrong behind the callers' backs: additions that were late and then failed. What callers are told they
    /// count themselves.
    public var failures: ProfileFailures { ledger.failures }

    /// What a user was assigned before.
    ///
    /// - Throws: ``ProfileStoreError``, or what the other store throws.
    public func profile(of userID: String) throws -> UserProfile {
        if let known = store.profileInMemory(of: userID) { return known }
        return try lookUp { [store] in try store.profile(of: userID) }
    }

    /// What a user was assigned before, if the other store knows without waiting.
    public func profileInMemory(of userID: String) -> UserProfile? { store.profileInMemory(of: userID) }

    /// What many users were assigned before; the limit is for all of them together.
    ///
    /// - Throws: ``ProfileStoreError``, or what the other store throws.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
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

    /// Adds assignments to those of a user.
    ///
    /// - Throws: ``ProfileStoreError``, or what the other store throws. What is ``ProfileStoreError/late`` may still
    ///   get there.
    public func remember(_ assignments: [String: String], for userID: String) throws {
        guard !assignments.isEmpty else { return }
        try writes.add(assignments, for: userID, within: limit)
    }

    /// Waits until the other store has everything that was added, also what is late, by the system's clock.
    public func flush(within limit: Duration) async {
        let elapsed = ContinuousClock().stopwatch()
        await writes.flush(within: limit)
        await store.flush(within: limit - elapsed())
    }
}

extension ProfileStoreError {
    fileprivate init(_ failure: BoundedCalls.Failure) {
        switch failure {
        case .late: self = .late
        case .stuck: self = .stuck
        }
    }
}

extension ProfileStore {
    /// This store, for those who wait only so long: no call of it takes longer. A decision for a new user makes two.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait for a call.
    ///   - calls: How many calls are under way at a time; further ones wait for their turn, within the limit.
    ///     Default: 16.
    ///   - log: Where additions are reported that fail when nobody waits for them any longer, without user ids.
    ///     Default: the standard error output.
    /// - Returns: The store with a deadline.
    public func within(
        _ limit: Duration, calls: Int = 16, log: any Log = .standardError
    ) -> DeadlineProfileStore {
        DeadlineProfileStore(self, limit: limit, calls: calls, log: log)
    }
}
