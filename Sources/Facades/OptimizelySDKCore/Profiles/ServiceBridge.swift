import Optimizely
import TurnoutClient

/// A caller's service in the form that clients work with.
final class ServiceBridge: OPTUserProfileService {
    private let service: (any OPTLYUserProfileService)?

    /// Of no service; the protocol asks for it.
    init() { service = nil }

    private init(_ service: any OPTLYUserProfileService) { self.service = service }

    func lookup(userId: String) -> UPProfile? {
        guard let found = service?.lookup(userId), let profile = OPTLYUserProfile(dictionary: found) else { return nil }
        // What else the service keeps in a profile stays there.
        var members = Dictionary(found.compactMap { key, value in (key as? String).map { ($0, value) } }) { $1 }
        members["experiment_bucket_map"] = profile.experiment_bucket_map
        return members
    }

    func save(userProfile: UPProfile) { service?.save(userProfile) }

    /// How clients look up and save; nil: nothing is remembered. The same for all clients of one service, so that none
    /// loses the assignments of another.
    static func access(to service: (any OPTLYUserProfileService)?) -> (any ProfileAccess)? {
        // Exactly these classes: a subclass may have overridden what the short ways pass by.
        guard let service, type(of: service) != OPTLYUserProfileServiceNoOp.self else { return nil }
        if type(of: service) == OPTLYUserProfileServiceDefault.self,
            let service = service as? OPTLYUserProfileServiceDefault
        {
            return ProfileServiceAccess.access(to: service.profiles)
        }
        return ProfileServiceAccess.access(to: ServiceBridge(service), knownAs: service)
    }
}
