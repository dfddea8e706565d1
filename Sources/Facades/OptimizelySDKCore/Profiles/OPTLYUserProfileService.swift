import Foundation

/// A service that stores users' assignments, so that users keep their variations when traffic allocation changes.
///
/// The client calls a service during decisions, on the thread of the call that decides: one lookup for each call, and a
/// save if there are new assignments. The service may block, and the decision waits for it. Calls for different users
/// may overlap, and so may lookups for one user; saves for one user never do. The client holds no lock meanwhile, so a
/// service may call it. A service whose ``lookup(_:)`` always returns nil only records assignments. A service cannot
/// report a failure: if it cannot read, it returns nil, and the user is bucketed anew.
public protocol OPTLYUserProfileService: AnyObject {
    /// Returns the last saved profile of a user, or nil if there is none.
    ///
    /// A profile is `["user_id": …, "experiment_bucket_map": [experiment id: ["variation_id": …]]]`; a malformed one is
    /// treated as nil.
    func lookup(_ userId: String) -> [AnyHashable: Any]?

    /// Replaces the profile of the user identified by its `user_id`.
    func save(_ userProfile: [AnyHashable: Any])
}

/// A service that stores nothing: users may get another variation when traffic allocation changes.
open class OPTLYUserProfileServiceNoOp: NSObject, OPTLYUserProfileService {
    /// Returns nil.
    open func lookup(_ userId: String) -> [AnyHashable: Any]? { nil }
    /// Does nothing.
    open func save(_ userProfile: [AnyHashable: Any]) {}
}
