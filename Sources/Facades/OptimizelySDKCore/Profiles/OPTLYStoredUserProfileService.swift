public import Foundation
import Optimizely
public import TurnoutClient

/// A user profile service on top of any `ProfileStore`: Redis, Cassandra, memcached, or a SQLite file.
///
/// ```swift
/// let policy = ProfilePolicy(deadline: .milliseconds(20))
/// let service = OPTLYStoredUserProfileService(store.applying(policy))
/// let manager = OPTLYManager(builder: OPTLYManagerBuilder { $0?.userProfileService = service })
/// ```
///
/// Clients add assignments to the store one by one and never replace a profile, so programs that share a store lose
/// none of each other's assignments, whichever interface they use. If the store does not respond, clients decide
/// without it and store nothing. `StoredUserProfileService` does the same for the module `Optimizely`.
public final class OPTLYStoredUserProfileService: NSObject, OPTLYUserProfileService, Sendable {
    let profiles: StoredUserProfileService

    /// The store for assignments.
    public var store: any ProfileStore { profiles.store }

    /// Creates a service over a store.
    ///
    /// - Parameters:
    ///   - store: The store for assignments.
    ///   - log: Receives failures of the store, without user ids. Default: standard error.
    public init(_ store: any ProfileStore, log: any Log = .standardError) {
        profiles = StoredUserProfileService(store, log: log)
    }

    /// Returns the stored profile of a user, or nil if there is none or the store fails.
    public func lookup(_ userId: String) -> [AnyHashable: Any]? { profiles.lookup(userId: userId) }

    /// Adds the assignments in which a profile differs from the stored one. Does not remove assignments or store other
    /// members. Does nothing if the stored profile cannot be read or the profile is malformed.
    public func save(_ userProfile: [AnyHashable: Any]) {
        guard let profile = OPTLYUserProfile(dictionary: userProfile) else { return }
        profiles.save(userProfile: [
            "user_id": profile.user_id, "experiment_bucket_map": profile.experiment_bucket_map,
        ])
    }
}
