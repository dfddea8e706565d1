package import TurnoutClient

/// Access to a user profile service that can only replace whole profiles.
///
/// Each decision performs one lookup and at most one save, and concurrent decisions for one user lose no assignments:
/// while any of them is in progress, the assignments of all are kept here, and every save contains them. Saves for one
/// user are serialized without blocking: a decision that finds a save in progress leaves its assignments to that one.
/// No lock is held while the service is called, so it may call back.
package final class ProfileServiceAccess: ProfileAccess {
    private let service: UncheckedSendable<any OPTUserProfileService>
    /// The service's key in the registry of accesses.
    private let serviceID: ObjectIdentifier
    private let decisions = Sharded(capacity: 0, bits: 6) { _ in DecisionsInProgress() }

    /// Creates an access to a service; use ``access(to:knownAs:)`` instead.
    init(_ service: any OPTUserProfileService, _ id: ObjectIdentifier) {
        self.service = UncheckedSendable(service)
        serviceID = id
    }

    deinit { Self.forget(serviceID) }

    /// A service may block on a database, or on a task that needs the calling thread.
    package var isRemote: Bool { true }

    package func load(_ userID: String) -> ProfileSession {
        load(userID) { ProfileDictionary.assignments(of: $0) }
    }

    package func load(_ userID: String, forExperiments experimentIDs: () -> [String]) -> ProfileSession {
        load(userID) { ProfileDictionary.assignments(of: $0, forExperiments: experimentIDs) }
    }

    @inline(__always)
    private func load(
        _ userID: String, _ read: (ProfileDictionary.Profile?) -> [String: String]
    ) -> ProfileSession {
        let user = ByteKey(userID)
        let number = decisions.withLock(of: user.fingerprint) { $0.begin(user) }
        let found = service.value.lookup(userId: userID).map(UncheckedSendable.init)
        let (assigned, _) = decisions.withLock(of: user.fingerprint) { $0.endLookup(number, of: user, found) }
        var known = read(found?.value)
        if !assigned.isEmpty { known.merge(assigned) { $1 } }
        return ProfileSession(userID: userID, profile: UserProfile(known))
    }

    package func commit(_ assignments: [String: String], in session: ProfileSession) {
        let user = ByteKey(session.userID)
        var next = decisions.withLock(of: user.fingerprint) { $0.end(user, adding: assignments) }
        while let assigned = next.assigned {
            let found = next.found
            service.value.save(userProfile: ProfileDictionary.profile(found?.value, of: user.text, adding: assigned))
            next = decisions.withLock(of: user.fingerprint) { $0.endSave(of: user) }
        }
    }

    /// Writes the assignments of a service that the caller derived from the default one; others write in `save`.
    package func flush(within limit: Duration) async {
        await (service.value as? DefaultUserProfileService)?.store.flush(within: limit)
    }

    /// The number of users with decisions in progress.
    package var usersInProgress: Int { decisions.shards.reduce(0) { $0 + $1.state.withLock { $0.count } } }
}

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

extension ProfileServiceAccess {
    /// The accesses in use, by profile service: clients that share a service must not overwrite each other's
    /// assignments.
    static let accesses = Locked<[ObjectIdentifier: WeakUncheckedSendable<ProfileServiceAccess>]>([:])
}
