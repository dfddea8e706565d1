/// Caches the profiles of many users in memory, in front of a slower store.
///
/// Users without assignments are cached too. Changes by other processes are visible once the entry expires; changes
/// through this store are visible immediately. Writes go to the wrapped store first, on the same thread, and update the
/// cache only if they succeed; a failed lookup is not cached.
package final class CachedProfileStore: ProfileStore {
    /// The lookups and writes for one user that are in progress. Unlike the calls of a ``SingleFlight``, they share no
    /// result: what is written during a lookup is merged into its result.
    private struct CallsInProgress {
        var lookupCount = 0
        var additionCount = 0
        /// The assignments added since the first of the lookups began, which they may have missed.
        var added: [String: String] = [:]
        /// Whether writes were concurrent, so that their order is unknown.
        var isMixed = false

        var isOver: Bool { lookupCount == 0 && additionCount == 0 }
    }

    /// The numbers since the start.
    package struct Counts: Sendable, Equatable {
        /// The profiles that were in memory.
        package var hits = 0
        /// The look-ups in the wrapped store.
        package var lookups = 0
        /// Those of them that failed.
        package var failedLookups = 0
        /// The time of all look-ups together.
        package var lookupTime = Duration.zero
    }

    private struct Part: Sendable {
        var cache: LRUCache<ByteKey, UserProfile>
        var counts = Counts()
        var inProgress: [ByteKey: CallsInProgress] = [:]

        mutating func drop(_ key: ByteKey) {
            cache.remove(key)
            // Lookups that are in progress may have read what was there before.
            inProgress[key]?.isMixed = true
            inProgress[key]?.added = [:]
        }

        mutating func dropAll() {
            cache.removeAll()
            for key in inProgress.keys {
                inProgress[key]?.isMixed = true
                inProgress[key]?.added = [:]
            }
        }
    }

    /// The number of users that ``prefetch(userIDs:)`` looks up at once.
    private static let batch = 1_000

    private let store: any ProfileStore
    private let parts: Sharded<Part>
    private let uptime: @Sendable () -> Duration
    private let onLookup: (@Sendable ((any Error)?) -> Void)?

    /// Puts a cache in front of a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - users: The approximate number of cached users; the least recently used are evicted. Default: 100,000, some
    ///     30 MB with one experiment each.
    ///   - lifetime: How long an entry is valid. Default: a minute.
    ///   - clock: Measures the lifetime. Default: the system's clock.
    ///   - onLookup: Called after each look-up in the store, with its error; must return quickly. Default: nil.
    package init(
        _ store: any ProfileStore, users: Int = 100_000, lifetime: Duration = .seconds(60),
        clock: any Clock<Duration> = .continuous, onLookup: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        self.store = store
        self.onLookup = onLookup
        isRemote = store.isRemote
        savesImmediately = store.savesImmediately
        // Read with every decision, where the full system clock would cost as much as the lookup.
        if clock is ContinuousClock { uptime = { Uptime.coarse } } else { uptime = clock.stopwatch() }
        parts = Sharded(capacity: users, bits: 6) { Part(cache: LRUCache(capacity: $0, lifetime: lifetime)) }
    }

    /// Whether the wrapped store's calls wait for another process or machine; calls served by the cache do not.
    package let isRemote: Bool

    /// Whether writes to the wrapped store never wait.
    package let savesImmediately: Bool

    /// The number of cached users, including expired entries.
    package var count: Int { parts.shards.reduce(0) { $0 + $1.state.withLock { $0.cache.count } } }

    /// The numbers since the start. Hits are those of ``profileInMemory(of:)``, which the server calls first.
    package var counts: Counts {
        parts.shards.reduce(into: Counts()) { sum, shard in
            let counts = shard.state.withLock { $0.counts }
            sum.hits += counts.hits
            sum.lookups += counts.lookups
            sum.failedLookups += counts.failedLookups
            sum.lookupTime += counts.lookupTime
        }
    }

    // MARK: Looking up

    /// The user's earlier assignments, from the cache or the wrapped store.
    ///
    /// - Throws: Errors from the wrapped store.
    package func profile(of userID: String) throws -> UserProfile {
        let key = ByteKey(userID)
        if let known = cached(key) { return known }
        let start = beginLookup(of: key)
        let found = Result { try store.profile(of: userID) }
        return try endLookup(of: key, since: start, found)
    }

    /// Like ``profile(of:)``, with another look-up in the wrapped store, which suspends instead of blocking.
    ///
    /// - Throws: The error of `lookUp`.
    package func awaitProfile(
        of userID: String, _ lookUp: (String) async throws -> UserProfile
    ) async throws -> UserProfile {
        let key = ByteKey(userID)
        if let known = cached(key) { return known }
        let start = beginLookup(of: key)
        let found: Result<UserProfile, any Error>
        do { found = .success(try await lookUp(userID)) } catch { found = .failure(error) }
        return try endLookup(of: key, since: start, found)
    }

    /// The user's earlier assignments, if they are cached.
    package func profileInMemory(of userID: String) -> UserProfile? {
        let (key, now) = (ByteKey(userID), uptime())
        let known = parts.withLock(of: key.fingerprint) { part in
            let known = part.cache.value(for: key, at: now)
            if known != nil { part.counts.hits += 1 }
            return known
        }
        return known ?? store.profileInMemory(of: userID)
    }

    /// The earlier assignments of many users. The wrapped store is called once for all users that are not cached.
    ///
    /// - Throws: Errors from the wrapped store.
    package func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        var profiles: [String: UserProfile] = [:]
        var missing: [ByteKey] = []
        for userID in userIDs.bySpelling.first ?? [] {
            let key = ByteKey(userID)
            if let known = cached(key) { profiles[userID] = known } else { missing.append(key) }
        }
        guard !missing.isEmpty else { return profiles }
        var start = ContinuousClock.now
        for key in missing { start = beginLookup(of: key) }
        let found = Result { try store.profiles(of: missing.map(\.text)) }
        for key in missing {
            let profile = try? endLookup(of: key, since: start, found.map { $0[key.text] ?? UserProfile() })
            if let profile { profiles[key.text] = profile }
        }
        _ = try found.get()
        return profiles
    }

    /// Loads many users into the cache ahead of use, 1,000 at a time. Cached users are not looked up again. Does not
    /// block threads of Swift's concurrency pool.
    ///
    /// - Parameter userIDs: The users to look up. More than the cache holds would evict each other.
    /// - Throws: Errors from the wrapped store, and `CancellationError`. A single failing batch, perhaps because of one
    ///   user, is skipped and its error is thrown at the end; two consecutive failures end the operation. Profiles
    ///   found so far stay in the cache.
    package func prefetch(userIDs: [String]) async throws {
        var failure: (any Error)?
        var hasJustFailed = false
        for users in userIDs.bySpelling {
            for start in stride(from: 0, to: users.count, by: Self.batch) {
                try Task.checkCancellation()
                let batch = Array(users[start..<min(start + Self.batch, users.count)])
                do {
                    _ = try await BlockingCall.result { try self.profiles(of: batch) }
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

    private func cached(_ key: ByteKey) -> UserProfile? {
        let now = uptime()
        return parts.withLock(of: key.fingerprint) { $0.cache.value(for: key, at: now) }
    }

    private func beginLookup(of key: ByteKey) -> ContinuousClock.Instant {
        parts.withLock(of: key.fingerprint) { $0.inProgress[key, default: CallsInProgress()].lookupCount += 1 }
        return .now
    }

    private func endLookup(
        of key: ByteKey, since start: ContinuousClock.Instant, _ found: Result<UserProfile, any Error>
    ) throws -> UserProfile {
        var failure: (any Error)?
        if case .failure(let error) = found { failure = error }
        let (time, isFailure) = (start.duration(to: .now), failure != nil)
        onLookup?(failure)
        // The age of an entry counts from the end of its lookup.
        let now = uptime()
        let outcome: Result<UserProfile, any Error> = parts.withLock(of: key.fingerprint) { part in
            part.counts.lookups += 1
            part.counts.failedLookups += isFailure ? 1 : 0
            part.counts.lookupTime += time
            guard var calls = part.inProgress[key] else { return found }
            calls.lookupCount -= 1
            // Later lookups find these assignments in the store, or others that have replaced them since.
            defer { if calls.lookupCount == 0 { part.inProgress[key]?.added = [:] } }
            part.inProgress[key] = calls.isOver ? nil : calls
            return found.map { profile in
                let profile = calls.added.isEmpty ? profile : profile.adding(calls.added)
                if !calls.isMixed { part.cache.save(profile, for: key, at: now) }
                return profile
            }
        }
        return try outcome.get()
    }

    // MARK: Adding

    /// Adds assignments of a user to the wrapped store, and then to the cache.
    ///
    /// - Throws: Errors from the wrapped store; the cache is then unchanged.
    package func save(_ assignments: [String: String], for userID: String) throws {
        let key = ByteKey(userID)
        parts.withLock(of: key.fingerprint) { part in
            var calls = part.inProgress[key] ?? CallsInProgress()
            calls.additionCount += 1
            if calls.additionCount > 1 { calls.isMixed = true }
            part.inProgress[key] = calls
        }
        let stored = Result { try store.save(assignments, for: userID) }
        let now = uptime()
        parts.withLock(of: key.fingerprint) { part in
            guard var calls = part.inProgress[key] else { return }
            calls.additionCount -= 1
            if case .success = stored {
                if calls.lookupCount > 0 { calls.added.merge(assignments) { $1 } }
                part.cache.change(key, at: now) { $0.assignments.merge(assignments) { $1 } }
            }
            if calls.isMixed { part.cache.remove(key) }
            part.inProgress[key] = calls.isOver ? nil : calls
        }
        try stored.get()
    }

    // MARK: Replacing

    /// Forgets a user in the wrapped store, and drops what is cached.
    ///
    /// - Throws: Errors from the wrapped store.
    package func forget(_ userID: String) throws { try dropping(userID) { try store.forget(userID) } }

    /// Changes the wrapped store other than by adding, and drops what is cached for the user, or for all users if it is
    /// nil.
    ///
    /// - Throws: Errors from `change`.
    package func dropping(_ userID: String?, after change: () throws -> Void) rethrows {
        defer {
            if let key = userID.map({ ByteKey($0) }) {
                parts.withLock(of: key.fingerprint) { $0.drop(key) }
            } else {
                for shard in parts.shards { shard.state.withLock { $0.dropAll() } }
            }
        }
        try change()
    }

    /// Waits until the wrapped store has all assignments.
    package func flush(within limit: Duration) async { await store.flush(within: limit) }
}

/// An editable store behind a cache, for services that decisions read.
package final class CachedEditableStore: EditableProfileStore {
    private let store: any EditableProfileStore
    package let cache: CachedProfileStore

    /// Puts a cache in front of a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - users: The approximate number of cached users.
    ///   - lifetime: How long an entry is valid: after that time, assignments of other processes are visible.
    ///   - onLookup: Called after each look-up in the store, with its error. Default: nil.
    package init(
        _ store: any EditableProfileStore, users: Int, lifetime: Duration,
        onLookup: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        self.store = store
        cache = CachedProfileStore(store, users: users, lifetime: lifetime, onLookup: onLookup)
    }

    package var isRemote: Bool { cache.isRemote }
    package var savesImmediately: Bool { cache.savesImmediately }
    package var isDurable: Bool { store.isDurable }

    package func profile(of userID: String) throws -> UserProfile { try cache.profile(of: userID) }
    package func latestProfile(of userID: String) throws -> UserProfile { try store.latestProfile(of: userID) }
    package func profileInMemory(of userID: String) -> UserProfile? { cache.profileInMemory(of: userID) }
    package func profiles(of userIDs: [String]) throws -> [String: UserProfile] { try cache.profiles(of: userIDs) }

    package func save(_ assignments: [String: String], for userID: String) throws {
        try cache.save(assignments, for: userID)
    }

    package func replace(with assignments: [String: String], for userID: String) throws {
        try cache.dropping(userID) { try store.replace(with: assignments, for: userID) }
    }

    package func forget(_ userID: String) throws { try cache.forget(userID) }
    package func removeAll() throws { try cache.dropping(nil) { try store.removeAll() } }

    package func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) throws {
        try cache.dropping(nil) { try store.keepAssignments(in: experiments, ofUsersWithAtLeast: count) }
    }

    package func synchronize() throws { try store.synchronize() }
    package func flush(within limit: Duration) async { await cache.flush(within: limit) }
}
