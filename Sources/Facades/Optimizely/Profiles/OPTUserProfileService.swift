/// Remembers which variations users were assigned, so that they keep them when traffic changes.
///
/// Called from any thread, for different users also at the same time; saves for one user never overlap.
public protocol OPTUserProfileService: AnyObject {
    /// What is remembered of a user: `user_id` and `experiment_bucket_map`, beside anything else.
    typealias UPProfile = [String: Any]
    /// Entries by experiment id.
    typealias UPBucketMap = [String: UPExperimentMap]
    /// The variation id, under `variation_id`.
    typealias UPExperimentMap = [String: String]

    /// Creates a service.
    init()

    /// What was saved last for a user, or nil: nothing is known.
    func lookup(userId: String) -> UPProfile?

    /// Replaces what is known of the user whose id is in the profile.
    func save(userProfile: UPProfile)
}
