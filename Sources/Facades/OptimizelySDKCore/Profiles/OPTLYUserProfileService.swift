import Foundation
import Optimizely
import TurnoutClient

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

/// Adapts a caller's service to the modern interface.
final class ServiceBridge: OPTUserProfileService {
    private let service: (any OPTLYUserProfileService)?

    /// Required by the protocol; wraps no service.
    init() { service = nil }

    private init(_ service: any OPTLYUserProfileService) { self.service = service }

    func lookup(userId: String) -> UPProfile? {
        guard let found = service?.lookup(userId), let profile = OPTLYUserProfile(dictionary: found) else { return nil }
        // Keep other members that the service stores in a profile.
        var members = Dictionary(found.compactMap { key, value in (key as? String).map { ($0, value) } }) { $1 }
        members["experiment_bucket_map"] = profile.experiment_bucket_map
        return members
    }

    func save(userProfile: UPProfile) { service?.save(userProfile) }

    /// The access to a service; nil if assignments are not stored. Clients with the same service share one, so that
    /// none loses the assignments of another.
    static func access(to service: (any OPTLYUserProfileService)?) -> (any ProfileAccess)? {
        // Only these exact classes: a subclass may have overridden methods that the direct paths bypass.
        guard let service, type(of: service) != OPTLYUserProfileServiceNoOp.self else { return nil }
        if type(of: service) == OPTLYUserProfileServiceDefault.self,
            let service = service as? OPTLYUserProfileServiceDefault
        {
            return ProfileServiceAccess.access(to: service.profiles)
        }
        if let service = service as? OPTLYStoredUserProfileService {
            return ProfileServiceAccess.access(to: service.profiles)
        }
        return ProfileServiceAccess.access(to: ServiceBridge(service), knownAs: service)
    }
}
