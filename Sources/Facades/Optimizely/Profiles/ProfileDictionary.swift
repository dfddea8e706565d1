/// The profile format of the vendor's clients:
/// `{"user_id": "…", "experiment_bucket_map": {"<experiment id>": {"variation_id": "<variation id>"}}}`.
enum ProfileDictionary {
    typealias Profile = OPTUserProfileService.UPProfile
    typealias BucketMap = OPTUserProfileService.UPBucketMap

    private static let userID = "user_id"
    private static let bucketMap = "experiment_bucket_map"
    private static let variationID = "variation_id"

    /// The user id in the profile, or nil if there is none.
    static func userID(of profile: Profile) -> String? { profile[userID] as? String }

    /// The variation ids by experiment id; empty if anything in the map is malformed.
    static func assignments(of profile: Profile?) -> [String: String] {
        (profile?[bucketMap] as? BucketMap ?? [:]).compactMapValues { $0[variationID] }
    }

    /// Adds assignments to a profile. Other members are kept; a malformed map is replaced.
    static func profile(_ profile: Profile?, of user: String, adding assignments: [String: String]) -> Profile {
        var profile = profile ?? [:]
        var map = profile[bucketMap] as? BucketMap ?? [:]
        for (experiment, variation) in assignments { map[experiment] = [variationID: variation] }
        profile[userID] = user
        profile[bucketMap] = map
        return profile
    }
}
