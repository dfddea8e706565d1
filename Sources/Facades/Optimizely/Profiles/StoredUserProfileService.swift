public import TurnoutClient

/// Remembers assignments in any `ProfileStore`: in Redis, memcached, a SQLite file, or behind a cache.
///
/// ```swift
/// let service = StoredUserProfileService(store.within(.milliseconds(20)).cached())
/// let optimizely = OptimizelyClient(sdkKey: key, userProfileService: service)
/// ```
///
/// Clients add their assignments to the store one by one and never replace a profile, so that programs that share a
/// store lose nothing of each other. Without the store's answer they decide without it, say so in the reasons of the
/// decision, and remember nothing.
public final class StoredUserProfileService: OPTUserProfileService {
    /// Where assignments are.
    public let store: any ProfileStore
    let log: any Log

    /// Creates a service that remembers as long as the process runs.
    public convenience init() { self.init(.memory) }

    /// Creates a service over a store.
    ///
    /// - Parameters:
    ///   - store: Where assignments are.
    ///   - log: Where failures of the store are reported, without user ids. Default: the standard error output.
    public init(_ store: any ProfileStore, log: any Log = .standardError) {
        self.store = store
        self.log = log
    }

    /// What is remembered of a user, or nil: nothing is known, or the store cannot tell.
    public func lookup(userId: String) -> UPProfile? {
        guard let known = known(of: userId), !known.isEmpty else { return nil }
        return ProfileDictionary.profile(nil, of: userId, adding: known)
    }

    /// Adds the assignments in which a profile differs from what is remembered. Nothing is removed, nothing else in the
    /// profile is kept, and nothing is done if the store cannot tell what it remembers or the profile names no user.
    public func save(userProfile: UPProfile) {
        guard let userID = ProfileDictionary.userID(of: userProfile), let known = known(of: userID) else { return }
        let changed = ProfileDictionary.assignments(of: userProfile).filter { known[$0.key] != $0.value }
        guard !changed.isEmpty else { return }
        do {
            try store.remember(changed, for: userID)
        } catch {
            log.failure(.error, "profile store: \(changed.count) assignments could not be stored", error)
        }
    }

    /// What the store remembers, or nil: it cannot tell.
    private func known(of userID: String) -> [String: String]? {
        do {
            return try store.profile(of: userID).assignments
        } catch {
            log.failure(.error, "profile store: assignments could not be read", error)
            return nil
        }
    }
}
