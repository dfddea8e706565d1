/// A service that stores users' assignments, so that users keep their variations when traffic allocation changes.
///
/// The client calls a service during decisions, from any thread: one lookup for each call that decides, and one save if
/// there are new assignments. Calls for different users may overlap; saves for one user never do. Synchronous decisions
/// wait for the service on their own thread, asynchronous ones on a thread that may block. A service cannot report a
/// failure: if it cannot read, it returns nil, and the user is bucketed anew. It may call the client.
///
/// `save` receives the whole profile: the one that `lookup` returned, with the new assignments. Two processes that save
/// for one user at the same time can therefore lose assignments; ``StoredUserProfileService`` uses a store that merges
/// them.
public protocol OPTUserProfileService: AnyObject {
    /// A user's profile: `user_id` and `experiment_bucket_map`; other members are allowed.
    typealias UPProfile = [String: Any]
    /// The assignments by experiment id.
    typealias UPBucketMap = [String: UPExperimentMap]
    /// An assignment: the variation id under the key `variation_id`.
    typealias UPExperimentMap = [String: String]

    /// Creates a service.
    init()

    /// Returns the last saved profile of a user, or nil if there is none.
    func lookup(userId: String) -> UPProfile?

    /// Replaces the profile of the user identified by its `user_id`.
    func save(userProfile: UPProfile)
}

/// A user profile service that stores nothing: users may get another variation when traffic allocation changes.
///
/// Pass it to ``OptimizelyClient`` in place of the default service.
public final class NoOpUserProfileService: OPTUserProfileService {
    /// Creates the service.
    public required init() {}
    /// Returns nil.
    public func lookup(userId: String) -> UPProfile? { nil }
    /// Does nothing.
    public func save(userProfile: UPProfile) {}
}
