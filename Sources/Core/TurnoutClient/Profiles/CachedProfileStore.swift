/// Keeps the profiles of many users in memory, in front of a store that takes longer.
///
/// ```swift
/// configuration.profiles = store.cached(users: 100_000, for: .seconds(60))
/// ```
///
/// Users about whom nothing is known are kept, too. What other processes add is seen when the entry has grown too old;
/// what is added through this store is seen at once. Additions go to the other store first, on the same thread, and
/// change the cache only if they got there; a look-up that failed leaves nothing in it.
///
/// Wrap the others in this one: `store.within(…).writingBehind().cached()`.
public final class CachedProfileStore: ProfileStore {
    /// The look-ups and additions for one user that have begun and not ended.
    private struct Flight {
        var lookupCount = 0
        var additionCount = 0
        /// What was added since the first of the look-ups began, which they may have missed.
        var added: [String: String] = [:]
        /// Additions met each other, so nobody knows which came last.
        var isMixed = false

        var isOver: Bool { lookupCount == 0 && additionCount == 0 }
    }

    private struct Part: Sendable {
        var cache: LRUCache<ExactText, UserProfile>
        var flights: [ExactText: Flight] = [:]
    }

    /// Users that are looked up at once by ``prefetch(userIDs:)``.
    private static let batch = 1_000

    private let store: any ProfileStore
    private let parts: Sharded<Part>
    private let uptime: @Sendable () -> Duration

    /// Puts a cache in front of a store; see ``ProfileStore/cached(users:for:clock:)``.
    public init(
        _ store: any ProfileStore, users: Int = 100_000, lifetime: Duration = .seconds(60),
        clock: any Clock<Duration> = .continuous
    ) {
        self.store = store
        isRemote = store.isRemote
        // Read with every decision, where the system's clock proper would cost as much as the look-up.
        if clock is ContinuousClock { uptime = { Uptime.coarse } } else { uptime = clock.stopwatch() }
        parts = Sharded(capacity: users) { Part(cache: LRUCache(capacity: $0, lifetime: lifetime)) }
    }

    /// Whether the other store's calls wait for another process or machine; those that the cache answers do not.
    public let isRemote: Bool

    /// The number of users in the cache, also of those whose entry is too old.
    public var count: Int { parts.shards.reduce(0) { $0 + $1.state.withLock { $0.cache.count } } }

    // MARK: Looking up

    /// What a user was assigned before, from the cache or the other store.
    ///
    /// - Throws: What the other store throws.
    public func profile(of userID: String) throws -> UserProfile {
        let key = ExactText(userID)
        if let known = cached(key) { return known }
        beginLookup(of: key)
        let found = Result { try store.profile(of: userID) }
        return try endLookup(of: key, found)
    }

    /// What a user was assigned before, if the cache knows.
    public func profileInMemory(of userID: String) -> UserProfile? {
        cached(ExactText(userID)) ?? store.profileInMemory(of: userID)
    }

    /// What many users were assigned before. The other store is asked once for all that the cache does not know.
    ///
    /// - Throws: What the other store throws.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        var profiles: [String: UserProfile] = [:]
        var missing: [ExactText] = []
        for userID in userIDs.bySpelling.first ?? [] {
            let key = ExactText(userID)
            if let known = cached(key) { profiles[userID] = known } else { missing.append(key) }
        }
        guard !missing.isEmpty else { return profiles }
        for key in missing { beginLookup(of: key) }
        let found = Result { try store.profiles(of: missing.map(\.text)) }
        for key in missing {
            let profile = try? endLookup(of: key, found.map { $0[key.text] ?? UserProfile() })
            if let profile { profiles[key.text] = profile }
        }
        _ = try found.get()
        return profiles
    }

    /// Looks many users up before they come, 1,000 at a time, and keeps them in the cache. Users whom it knows are not
    /// looked up again. No thread of Swift's tasks is blocked.
    ///
    /// - Parameter userIDs: Whom to look up; more than the cache holds would drive each other out.
    /// - Throws: What the other store throws, and `CancellationError`. One batch that fails, perhaps because of one
    ///   user, is left out, and its error thrown after the others; two in a row end it. What was found stays in the
    ///   cache.
    public func prefetch(userIDs: [String]) async throws {
        var failure: (any Error)?
        var hasJustFailed = false
        for users in userIDs.bySpelling {
            for start in stride(from: 0, to: users.count, by: Self.batch) {
                try Task.checkCancellation()
                let batch = Array(users[start..<min(start + Self.batch, users.count)])
                do {
                    try await BlockingCall.value { Result { _ = try self.profiles(of: batch) } }.get()
                    hasJustFailed = false
                } catch {
                    failure = failure ?? error
                    if hasJustFailed { throw error }
                    hasJustFailed = true
                }
            }
        }
        if let failure { throw failure }
    }

    private func cached(_ key: ExactText) -> UserProfile? {
        let now = uptime()
        return parts.withLock(of: key) { $0.cache.value(for: key, at: now) }
    }

    private func beginLookup(of key: ExactText) {
        parts.withLock(of: key) { $0.flights[key, default: Flight()].lookupCount += 1 }
    }

    private func endLookup(of key: ExactText, _ found: Result<UserProfile, any Error>) throws -> UserProfile {
        // The entry is as old as its look-up's end; nobody cares for the time of the call.
        let now = uptime()
        let outcome: Result<UserProfile, any Error> = parts.withLock(of: key) { part in
            guard var flight = part.flights[key] else { return found }
            flight.lookupCount -= 1
            // Later look-ups find in the store what was added before, and perhaps what replaced it since.
            defer { if flight.lookupCount == 0 { part.flights[key]?.added = [:] } }
            part.flights[key] = flight.isOver ? nil : flight
            return found.map { profile in
                let profile = flight.added.isEmpty ? profile : profile.adding(flight.added)
                if !flight.isMixed { part.cache.save(profile, for: key, at: now) }
                return profile
            }
        }
        return try outcome.get()
    }

    // MARK: Adding

    /// Adds assignments to those of a user: to the other store, and then to the cache.
    ///
    /// - Throws: What the other store throws; the cache stays as it was.
    public func remember(_ assignments: [String: String], for userID: String) throws {
        let key = ExactText(userID)
        parts.withLock(of: key) { part in
            var flight = part.flights[key] ?? Flight()
            flight.additionCount += 1
            if flight.additionCount > 1 { flight.isMixed = true }
            part.flights[key] = flight
        }
        let stored = Result { try store.remember(assignments, for: userID) }
        let now = uptime()
        parts.withLock(of: key) { part in
            guard var flight = part.flights[key] else { return }
            flight.additionCount -= 1
            if case .success = stored {
                if flight.lookupCount > 0 { flight.added.merge(assignments) { $1 } }
                part.cache.change(key, at: now) { $0.assignments.merge(assignments) { $1 } }
            }
            if flight.isMixed { part.cache.remove(key) }
            part.flights[key] = flight.isOver ? nil : flight
        }
        try stored.get()
    }

    /// Waits until the other store has everything that was added.
    public func flush(within limit: Duration) async { await store.flush(within: limit) }
}

extension ProfileStore {
    /// This store with a cache in front of it: decisions for users whom it knows cost hardly more than without a store.
    ///
    /// - Parameters:
    ///   - users: About how many users are kept; who was not asked for longest goes first. Default: 100,000, some 30 MB
    ///     with one experiment each.
    ///   - lifetime: How long what is kept is good. Default: a minute.
    ///   - clock: Measures it. Default: the system's clock.
    /// - Returns: The store behind a cache.
    public func cached(
        users: Int = 100_000, for lifetime: Duration = .seconds(60), clock: any Clock<Duration> = .continuous
    ) -> CachedProfileStore {
        CachedProfileStore(self, users: users, lifetime: lifetime, clock: clock)
    }
}
