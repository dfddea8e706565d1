package import TurnoutClient

// Clients that were given the same service must not lose each other's assignments either. Nobody but them knows of
// each other, so the accesses in use are listed here, the only state of the process that profiles need. An access keeps
// its service, and the list keeps neither: when the last client is gone, nothing is left, and the service's address may
// mean another one.

extension ProfileServiceAccess {
    private static let accesses = Locked<[ObjectIdentifier: HandedWeakly<ProfileServiceAccess>]>([:])

    /// The access of a service; the same one for everybody who asks, as long as anybody keeps it.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - original: The object that it stands for, and keeps. Default: itself.
    /// - Returns: The access.
    package static func access(
        to service: any OPTUserProfileService, knownAs original: AnyObject? = nil
    ) -> any ProfileAccess {
        // Exactly this class: a subclass may have overridden what the short way passes by.
        if type(of: service) == DefaultUserProfileService.self, let service = service as? DefaultUserProfileService {
            return DefaultServiceAccess(service: Handed(service))
        }
        // The store merges by itself, so nothing is gained by reading a profile in order to write it.
        if let service = service as? StoredUserProfileService {
            return StoreAccess(service.store, log: service.log)
        }
        let id = ObjectIdentifier(original ?? service)
        let new = ProfileServiceAccess(service, id)
        return accesses.withLock { accesses in
            if let known = accesses[id]?.object { return known }
            accesses[id] = HandedWeakly(new)
            return new
        }
    }

    /// Removes an access that has ended, unless the service has got another one meanwhile.
    static func forget(_ id: ObjectIdentifier) {
        let other = accesses.withLock { accesses in
            let other = accesses[id]?.object
            if other == nil { accesses[id] = nil }
            return other
        }
        // Released here: if it has just become the last reference, the other one comes here, too.
        withExtendedLifetime(other) {}
    }
}
