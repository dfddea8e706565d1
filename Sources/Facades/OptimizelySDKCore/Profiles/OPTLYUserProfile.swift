// The names of the constants are those of the original.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// A user profile.
public final class OPTLYUserProfile: NSObject, Sendable {
    // The names of the profile's members, as in the original.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The user's id.
    public let user_id: String
    private let assignments: [String: String]

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The assignments: entries with a `variation_id`, by experiment id.
    public var experiment_bucket_map: [String: [String: String]] { assignments.mapValues { ["variation_id": $0] } }

    /// Reads a profile; nil if it is malformed. Numeric ids are converted to strings; entries without an id are
    /// ignored.
    public init?(dictionary: [AnyHashable: Any]?) {
        guard let id = dictionary?["user_id"] as? String,
            let map = dictionary?["experiment_bucket_map"] as? [AnyHashable: Any]
        else { return nil }
        user_id = id
        let entries = map.compactMap { experiment, entry -> (String, String)? in
            guard let experiment = experiment as? String, let entry = entry as? [AnyHashable: Any],
                let variation = Self.text(entry["variation_id"])
            else { return nil }
            return (experiment, variation)
        }
        assignments = Dictionary(entries) { $1 }
    }

    /// Returns the id of the user's variation in an experiment, or nil if there is none.
    public func getVariationId(forExperimentId experimentId: String) -> String? { assignments[experimentId] }

    private static func text(_ id: Any?) -> String? {
        switch id {
        case let text as String: text.isEmpty ? nil : text
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }
}

/// The member of a user profile that has the user's id.
public let OPTLYDatafileKeysUserProfileServiceUserId = "user_id"
/// The member of a user profile that has the assignments, by experiment id.
public let OPTLYDatafileKeysUserProfileServiceExperimentBucketMap = "experiment_bucket_map"
/// The member of an assignment that has the variation's id.
public let OPTLYDatafileKeysUserProfileServiceVariationId = "variation_id"
