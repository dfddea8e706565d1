package import TurnoutClient

// Clients that share a service must not lose each other's assignments, but do not know each other. So the accesses in
// use are registered. An access retains its service; the registry
// retains neither. After the last client is released the entry is removed, because another object may reuse the
// service's address.

extension ProfileServiceAccess {
    /// The access to a service; always the same object while it is retained.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - original: The object that the service wraps and retains. Default: nil, the service itself.
    /// - Returns: The access.
    package static func access(
        to service: any OPTUserProfileService, knownAs original: AnyObject? = nil
    ) -> any ProfileAccess {
        // Only this exact class: a subclass may have overridden methods that the direct path bypasses.
        if type(of: service) == DefaultUserProfileService.self, let service = service as? DefaultUserProfileService {
            return StoreAccess(service.store, log: FactoryLog())
        }
        // The store merges assignments itself, so the profile need not be read before a write.
        if let service = service as? StoredUserProfileService {
            return StoreAccess(service.store, log: service.log)
        }
        let id = ObjectIdentifier(original ?? service)
        let new = ProfileServiceAccess(service, id)
        return accesses.withLock { accesses in
            if let known = accesses[id]?.object { return known }
            accesses[id] = WeakUncheckedSendable(new)
            return new
        }
    }

    /// Removes a released access, unless a new one for the service has been registered.
    static func forget(_ id: ObjectIdentifier) {
        let other = accesses.withLock { accesses in
            let other = accesses[id]?.object
            if other == nil { accesses[id] = nil }
            return other
        }
        // Released outside the lock: if this is the last reference, its deinitializer calls this method too.
        withExtendedLifetime(other) {}
    }
}
