/// Reads two stores and writes one: for moving from an old store to a new one while users come and go.
///
/// ```swift
/// configuration.profiles = new.fallingBack(to: old).cached()
/// ```
///
/// Each look-up asks both stores, because only then it is certain that nothing is missing; where both have an
/// assignment, the new store's counts. What only the old one has is copied to the new one, so that the old one can go
/// when all users who matter have come by. Nothing is ever written to the old store.
///
/// A look-up fails if one of the stores fails: users would otherwise get something new although the other store knows
/// better. A copy that fails does not; the next look-up tries again.
///
/// A copy replaces nothing: before it is made, the new store is asked once more, and additions for the user through
/// this store wait that long. Another process may still add in between the question and the copy, as stores cannot add
/// only what is missing; what it added is then replaced by what the old store had.
///
/// Copies and additions for one user take turns, so a call may wait for those of other threads, also if the stores have
/// deadlines. What must be bounded needs the deadline around this store: `new.fallingBack(to: old).within(limit)`.
public final class FallbackProfileStore: ProfileStore {
    private let new: any ProfileStore
    private let old: any ProfileStore
    private let copies: Bool
    /// Copies and additions for one user take turns.
    private let turns = UserTurns()
    private let ledger: ProfileLedger

    /// Adds an old store to a new one; see ``ProfileStore/fallingBack(to:copying:log:)``.
    public init(_ new: any ProfileStore, old: any ProfileStore, copies: Bool = true, log: any Log = .standardError) {
        self.new = new
        self.old = old
        self.copies = copies
        isRemote = new.isRemote || old.isRemote
        ledger = ProfileLedger("profile store with fallback", log: log)
    }

    /// Whether calls to one of the stores wait for another process or machine.
    public let isRemote: Bool

    /// What went wrong so far: copies that failed.
    public var failures: ProfileFailures { ledger.failures }

    /// What a user was assigned before, by the new store or else by the old one.
    ///
    /// - Throws: What one of the stores throws.
    public func profile(of userID: String) throws -> UserProfile {
        let former = try old.profile(of: userID)
        return merge(try new.profile(of: userID), former, for: userID)
    }

    /// What a user was assigned before, if both stores know without waiting, and nothing is to be copied.
    public func profileInMemory(of userID: String) -> UserProfile? {
        guard let known = new.profileInMemory(of: userID), let former = old.profileInMemory(of: userID),
            !copies || former.isCovered(by: known)
        else { return nil }
        return known.filled(from: former)
    }

    /// What many users were assigned before; each store is asked once, and for each user of whom something is copied
    /// the new one is asked and told again.
    ///
    /// - Throws: What one of the stores throws.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        let userIDs = userIDs.bySpelling.first ?? []
        let former = try old.profiles(of: userIDs)
        var profiles = try new.profiles(of: userIDs)
        for userID in userIDs {
            guard let former = former[userID] else { continue }
            profiles[userID] = merge(profiles[userID] ?? UserProfile(), former, for: userID)
        }
        return profiles
    }

    /// Adds assignments to those of a user in the new store, after a copy for the user that is under way.
    ///
    /// - Throws: What the new store throws.
    public func remember(_ assignments: [String: String], for userID: String) throws {
        guard copies else { return try new.remember(assignments, for: userID) }
        try turns.take(for: userID) { try new.remember(assignments, for: userID) }
    }

    /// Waits until the new store has everything that was added.
    public func flush(within limit: Duration) async { await new.flush(within: limit) }

    private func merge(_ known: UserProfile, _ former: UserProfile, for userID: String) -> UserProfile {
        guard copies, !former.isCovered(by: known) else { return known.filled(from: former) }
        return turns.take(for: userID) { copy(former, for: userID, lastKnown: known) }
    }

    /// Copies what the new store does not have by now. Returns what both have.
    private func copy(_ former: UserProfile, for userID: String, lastKnown: UserProfile) -> UserProfile {
        var known = lastKnown
        do {
            known = try new.profile(of: userID)
            let missing = former.assignments.filter { known.assignments[$0.key] == nil }
            if !missing.isEmpty { try new.remember(missing, for: userID) }
        } catch {
            ledger.add(.writeFailed, error)
        }
        return known.filled(from: former)
    }
}

extension UserProfile {
    /// Whether another profile has an assignment wherever this one has.
    fileprivate func isCovered(by other: UserProfile) -> Bool {
        assignments.keys.allSatisfy { other.assignments[$0] != nil }
    }

    /// This profile, and what only another one has.
    fileprivate func filled(from other: UserProfile) -> UserProfile {
        guard !other.assignments.isEmpty else { return self }
        return UserProfile(assignments.merging(other.assignments) { own, _ in own })
    }
}

extension ProfileStore {
    /// This store, and what an older one still knows: look-ups ask both, additions go to this one.
    ///
    /// - Parameters:
    ///   - old: The older store. Nothing is written to it.
    ///   - copying: Whether what only the older store has is copied to this one when a user is looked up.
    ///     Default: true.
    ///   - log: Where failed copies are reported, without user ids. Default: the standard error output.
    /// - Returns: Both stores, as one.
    public func fallingBack(
        to old: any ProfileStore, copying: Bool = true, log: any Log = .standardError
    ) -> FallbackProfileStore {
        FallbackProfileStore(self, old: old, copies: copying, log: log)
    }
}
