package import TurnoutClient

/// Access to a service that can only replace whole profiles.
///
/// Each decision looks up once and saves at most once, and no assignment is lost however many decisions are made for
/// one user at the same time: as long as any is in flight, what all of them assigned is remembered here, and every save
/// contains it. Saves for one user take turns without anybody waiting: who finds one running leaves its assignments to
/// it. No lock is held while the service is called, so it may call back.
package final class ProfileServiceAccess: ProfileAccess {
    /// The decisions for one user that have begun and not ended.
    private struct Flight {
        var visitorCount = 0
        /// Counts look-ups as they begin; one that began later knows at least as much.
        var lookupCount = 0
        var newestLookup = 0
        /// What the newest look-up found: the profile that assignments are added to.
        var found: Handed<ProfileDictionary.Profile>?
        var assigned: [String: String] = [:]
        var saved: [String: String] = [:]
        var isSaving = false

        var hasNews: Bool { assigned != saved }
        var isOver: Bool { visitorCount == 0 && !isSaving }
    }

    private let service: Handed<any OPTUserProfileService>
    /// What the list of accesses knows the service by.
    private let serviceID: ObjectIdentifier
    private let flights = Locked<[ExactText: Flight]>([:])

    /// Creates the access of a service; see ``access(to:knownAs:)``.
    init(_ service: any OPTUserProfileService, _ id: ObjectIdentifier) {
        self.service = Handed(service)
        serviceID = id
    }

    deinit { Self.forget(serviceID) }

    /// A service may wait for a database; and for a task that needs the thread on which it was called.
    package var isRemote: Bool { true }

    package func open(_ userID: String) -> ProfileVisit {
        let user = ExactText(userID)
        let number = flights.withLock { flights in
            flights[user, default: Flight()].visitorCount += 1
            flights[user]?.lookupCount += 1
            return flights[user]?.lookupCount ?? 0
        }
        let found = Handed(service.value.lookup(userId: userID))
        let assigned = flights.withLock { flights in
            if let newest = flights[user]?.newestLookup, newest < number {
                flights[user]?.newestLookup = number
                flights[user]?.found = found.value.map(Handed.init)
            }
            return flights[user]?.assigned ?? [:]
        }
        let known = ProfileDictionary.assignments(of: found.value)
        return ProfileVisit(userID: userID, profile: UserProfile(known.merging(assigned) { $1 }))
    }

    package func close(_ visit: ProfileVisit, adding assignments: [String: String]) {
        let user = ExactText(visit.userID)
        flights.withLock { flights in
            flights[user]?.visitorCount -= 1
            flights[user]?.assigned.merge(assignments) { $1 }
        }
        var hasSaved = false
        while let (found, assigned) = nextSave(for: user, after: hasSaved) {
            service.value.save(userProfile: ProfileDictionary.profile(found?.value, of: user.text, adding: assigned))
            hasSaved = true
        }
    }

    /// What the caller has to save, or nil: there is nothing new, or somebody else saves it.
    private func nextSave(
        for user: ExactText, after hasSaved: Bool
    ) -> (found: Handed<ProfileDictionary.Profile>?, assigned: [String: String])? {
        flights.withLock { flights in
            guard var flight = flights[user] else { return nil }
            if hasSaved { flight.isSaving = false }
            let saves = flight.hasNews && !flight.isSaving
            if saves {
                flight.isSaving = true
                flight.saved = flight.assigned
            }
            flights[user] = flight.isOver ? nil : flight
            return saves ? (flight.found, flight.assigned) : nil
        }
    }

    /// How many users have decisions in flight.
    package var flightCount: Int { flights.withLock { $0.count } }
}

/// Access to the default service, which merges.
final class DefaultServiceAccess: ProfileAccess {
    private let service: Handed<DefaultUserProfileService>

    init(service: Handed<DefaultUserProfileService>) { self.service = service }

    var isRemote: Bool { false }

    func open(_ userID: String) -> ProfileVisit {
        ProfileVisit(userID: userID, profile: UserProfile(service.value.assignments(of: userID)))
    }

    func close(_ visit: ProfileVisit, adding assignments: [String: String]) {
        guard !assignments.isEmpty else { return }
        service.value.merge(assignments, for: visit.userID)
    }
}
