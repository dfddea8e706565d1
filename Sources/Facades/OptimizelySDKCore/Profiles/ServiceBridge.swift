import Optimizely
import TurnoutClient

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
