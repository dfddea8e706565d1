/// The shape that the vendor's clients share:
/// `{"user_id": "…", "experiment_bucket_map": {"<experiment id>": {"variation_id": "<variation id>"}}}`.
enum ProfileDictionary {
    typealias Profile = OPTUserProfileService.UPProfile
    typealias BucketMap = OPTUserProfileService.UPBucketMap

    private static let userID = "user_id"
    private static let bucketMap = "experiment_bucket_map"
    private static let variationID = "variation_id"

    /// Whose profile it is, or nil: it does not say so.
    static func userID(of profile: Profile) -> String? { profile[userID] as? String }

    /// The variation ids by experiment id; empty if anything in the map is not of its shape.
    static func assignments(of profile: Profile?) -> [String: String] {
        (profile?[bucketMap] as? BucketMap ?? [:]).compactMapValues { $0[variationID] }
    }

    /// A profile with more assignments. Whatever else it holds stays; a map that is not of its shape is replaced.
    static func profile(_ profile: Profile?, of user: String, adding assignments: [String: String]) -> Profile {
        var profile = profile ?? [:]
        var map = profile[bucketMap] as? BucketMap ?? [:]
        for (experiment, variation) in assignments { map[experiment] = [variationID: variation] }
        profile[userID] = user
        profile[bucketMap] = map
        return profile
    }

    /// A profile with only some of its assignments. Whatever else it holds stays.
    static func profile(_ profile: Profile, keeping experiments: Set<String>) -> Profile {
        var profile = profile
        profile[bucketMap] = (profile[bucketMap] as? BucketMap ?? [:]).filter { experiments.contains($0.key) }
        return profile
    }

    /// Whether a profile holds nothing but a user id and assignments, so that these are enough to make it again.
    static func isPlain(_ profile: Profile) -> Bool {
        guard profile.count == 2, profile[userID] is String, let map = profile[bucketMap] as? BucketMap else {
            return false
        }
        return map.values.allSatisfy { $0.count == 1 && $0[variationID] != nil }
    }
}
