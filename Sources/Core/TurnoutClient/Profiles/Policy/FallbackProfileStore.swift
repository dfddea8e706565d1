/// Reads from two stores and writes to one, for migrating from an old store to a new one without downtime.
///
/// Each lookup queries both stores, to be certain that nothing is missing; if both have an assignment, the new store's
/// takes precedence. Assignments that only the old store has are copied to the new one, so the old store can be removed
/// once all relevant users have been seen. Nothing is ever added to the old store.
///
/// A lookup fails if either store fails: users could otherwise get a new assignment although the other store has one. A
/// failed copy is not an error; the next lookup tries again.
///
/// A copy replaces nothing: before it is made, both stores are queried again, and writes for the user through this
/// store wait until then. Another process may still write between that query and the copy, since stores cannot add only
/// what is missing; its assignment is then replaced by the old store's.
///
/// Copies and writes for one user are serialized, so a call may wait for those of other threads, even if the stores
/// have deadlines. A ``ProfilePolicy`` puts the deadline around this store.
package final class FallbackProfileStore: ProfileStore {
    private let new: any ProfileStore
    private let old: any ProfileStore
    private let copies: Bool
    /// Serializes copies and writes for one user.
    private let changes = KeyedQueue<ByteKey>()
    private let counter: ProfileFailureCounter

    /// Creates a store from a new and an old one; see ``ProfileStore/fallingBack(to:copying:log:)``.
    package init(_ new: any ProfileStore, old: any ProfileStore, copies: Bool = true, log: any Log = .standardError) {
        self.new = new
        self.old = old
        self.copies = copies
        isRemote = new.isRemote || old.isRemote
        counter = ProfileFailureCounter("profile store with fallback", log: log)
    }

    /// Whether calls to one of the stores wait for another process or machine.
    package let isRemote: Bool

    /// The failed copies so far.
    package var failures: ProfileFailures { counter.failures }

    /// The user's earlier assignments, from the new store or else from the old one.
    ///
    /// - Throws: Errors from either store.
    package func profile(of userID: String) throws -> UserProfile {
        let former = try old.profile(of: userID)
        return merge(try new.profile(of: userID), former, for: userID)
    }

    /// The user's earlier assignments, if both stores have them in memory and nothing has to be copied.
    package func profileInMemory(of userID: String) -> UserProfile? {
        guard let known = new.profileInMemory(of: userID), let former = old.profileInMemory(of: userID),
            !copies || former.isCovered(by: known)
        else { return nil }
        return known.filled(from: former)
    }

    /// The earlier assignments of many users. Each store is called once; for each user with assignments to copy, the
    /// new one is written, after both are queried again.
    ///
    /// - Throws: Errors from either store.
    package func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        let userIDs = userIDs.bySpelling.first ?? []
        let former = try old.profiles(of: userIDs)
        var profiles = try new.profiles(of: userIDs)
        for userID in userIDs {
            guard let former = former[userID] else { continue }
            profiles[userID] = merge(profiles[userID] ?? UserProfile(), former, for: userID)
        }
        return profiles
    }

    /// Adds assignments of a user to the new store, after any copy in progress for the user.
    ///
    /// - Throws: Errors from the new store.
    package func save(_ assignments: [String: String], for userID: String) throws {
        guard copies else { return try new.save(assignments, for: userID) }
        try changes.withLock(for: ByteKey(userID)) { try new.save(assignments, for: userID) }
    }

    /// Forgets a user in both stores, after any copy in progress for the user.
    ///
    /// - Throws: Errors from either store.
    package func forget(_ userID: String) throws {
        try changes.withLock(for: ByteKey(userID)) {
            try new.forget(userID)
            try old.forget(userID)
        }
    }

    /// Waits until the new store has all assignments.
    package func flush(within limit: Duration) async { await new.flush(within: limit) }

    private func merge(_ known: UserProfile, _ former: UserProfile, for userID: String) -> UserProfile {
        guard copies, !former.isCovered(by: known) else { return known.filled(from: former) }
        return changes.withLock(for: ByteKey(userID)) { copy(former, for: userID, lastKnown: known) }
    }

    /// Copies the assignments that the new store still lacks. Returns the merged profile.
    private func copy(_ lastFormer: UserProfile, for userID: String, lastKnown: UserProfile) -> UserProfile {
        var (known, former) = (lastKnown, lastFormer)
        do {
            // The user may have been forgotten since the stores were read.
            former = try old.profile(of: userID)
            known = try new.profile(of: userID)
            let missing = former.assignments.filter { known.assignments[$0.key] == nil }
            if !missing.isEmpty { try new.save(missing, for: userID) }
        } catch {
            counter.add(.writeFailed, error)
        }
        return known.filled(from: former)
    }
}

extension UserProfile {
    /// Whether another profile has an assignment for each of this one's experiments.
    fileprivate func isCovered(by other: UserProfile) -> Bool {
        assignments.keys.allSatisfy { other.assignments[$0] != nil }
    }

    /// This profile, completed by another one's assignments.
    fileprivate func filled(from other: UserProfile) -> UserProfile {
        guard !other.assignments.isEmpty else { return self }
        return UserProfile(assignments.merging(other.assignments) { own, _ in own })
    }
}

extension ProfileStore {
    /// Returns a store that reads from this store and an older one, and writes to this one.
    ///
    /// - Parameters:
    ///   - old: The older store. Nothing is added to it.
    ///   - copying: Whether assignments that only the older store has are copied to this one when a user is looked up.
    ///     Default: true.
    ///   - log: Receives reports of failed copies, without user ids. Default: the standard error output.
    /// - Returns: The combined store.
    package func fallingBack(
        to old: any ProfileStore, copying: Bool = true, log: any Log = .standardError
    ) -> FallbackProfileStore {
        FallbackProfileStore(self, old: old, copies: copying, log: log)
    }
}
