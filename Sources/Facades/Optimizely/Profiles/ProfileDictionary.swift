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

    /// The variation ids for some experiments; may contain those for others.
    ///
    /// A decision needs few of the assignments, and converting all of them takes longer than the decision.
    static func assignments(of profile: Profile?, forExperiments experimentIDs: () -> [String]) -> [String: String] {
        guard let any = profile.flatMap({ member(bucketMap, of: $0) }) else { return [:] }
        guard let map = plainMap(any) else { return assignments(of: profile) }
        var assignments: [String: String] = [:]
        if map.isEmpty { return assignments }
        for id in experimentIDs() {
            if let variation = member(id, of: map).flatMap({ member(variationID, of: $0) }) {
                assignments[id] = variation
            }
        }
        return assignments
    }

    /// The value for a key. Most dictionaries of a profile have one or two members, and comparing those takes less time
    /// than hashing the key.
    private static func member<Value>(_ key: String, of members: [String: Value]) -> Value? {
        guard members.count <= 4 else { return members[key] }
        for (name, value) in members where name == key { return value }
        return nil
    }

    /// The map if it has exactly the type of ours. A cast takes ten times as long as comparing the types.
    private static func plainMap(_ any: Any) -> BucketMap? {
        func plainMap<Value>(_ value: Value) -> BucketMap? {
            Value.self == BucketMap.self ? unsafeBitCast(value, to: BucketMap.self) : nil
        }
        return _openExistential(any, do: plainMap)
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
