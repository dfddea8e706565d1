import Foundation

/// Remembers which variations users were assigned, so that they keep them when traffic changes.
///
/// Called from any thread, for different users also at the same time; saves for one user never overlap. A service that
/// always returns nil from ``lookup(_:)`` only records.
public protocol OPTLYUserProfileService: AnyObject {
    /// What was saved last for a user, or nil: nothing is known.
    ///
    /// A profile is `["user_id": …, "experiment_bucket_map": [experiment id: ["variation_id": …]]]`; one that is not is
    /// treated as nil.
    func lookup(_ userId: String) -> [AnyHashable: Any]?

    /// Replaces what is known of the user whose id is in the profile.
    func save(_ userProfile: [AnyHashable: Any])
}

/// Remembers nothing: users may change variations when traffic changes.
open class OPTLYUserProfileServiceNoOp: NSObject, OPTLYUserProfileService {
    /// Nil: nothing is known of anybody.
    open func lookup(_ userId: String) -> [AnyHashable: Any]? { nil }
    /// Does nothing.
    open func save(_ userProfile: [AnyHashable: Any]) {}
}
