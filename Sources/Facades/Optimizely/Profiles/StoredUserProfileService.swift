public import TurnoutClient

/// A user profile service on top of any `ProfileStore`: Redis, Cassandra, memcached, or a SQLite file.
///
/// ```swift
/// let policy = ProfilePolicy(deadline: .milliseconds(20))
/// let service = StoredUserProfileService(store.applying(policy))
/// let optimizely = OptimizelyClient(sdkKey: key, userProfileService: service)
/// ```
///
/// Clients add assignments to the store one by one and never replace a profile, so programs that share a store lose
/// none of each other's assignments. If the store does not respond, clients decide without it, say so in the reasons of
/// the decision, and store nothing.
public final class StoredUserProfileService: OPTUserProfileService, Sendable {
    /// The store for assignments.
    public let store: any ProfileStore
    let log: any Log

    /// Creates a service that stores assignments in memory.
    public convenience init() { self.init(.memory) }

    /// Creates a service over a store.
    ///
    /// - Parameters:
    ///   - store: The store for assignments.
    ///   - log: Receives failures of the store, without user ids. Default: standard error.
    public init(_ store: any ProfileStore, log: any Log = .standardError) {
        self.store = store
        self.log = log
    }

    /// Returns the stored profile of a user, or nil if there is none or the store fails.
    public func lookup(userId: String) -> UPProfile? {
        guard let known = known(of: userId), !known.isEmpty else { return nil }
        return ProfileDictionary.profile(nil, of: userId, adding: known)
    }

    /// Adds the assignments in which a profile differs from the stored one. Does not remove assignments or store other
    /// members. Does nothing if the stored profile cannot be read or the profile has no user id.
    public func save(userProfile: UPProfile) {
        guard let userID = ProfileDictionary.userID(of: userProfile), let known = known(of: userID) else { return }
        let changed = ProfileDictionary.assignments(of: userProfile).filter { known[$0.key] != $0.value }
        guard !changed.isEmpty else { return }
        do {
            try store.save(changed, for: userID)
        } catch {
            log.failure(
                .error,
                "profile store: \(changed.count.counted("assignment")) could not be stored, so the next decision of "
                    + "the user may be another one", error)
        }
    }

    /// The stored assignments, or nil if the store fails.
    private func known(of userID: String) -> [String: String]? {
        do {
            return try store.profile(of: userID).assignments
        } catch {
            log.failure(.error, "profile store: assignments could not be read, and count as missing", error)
            return nil
        }
    }
}
