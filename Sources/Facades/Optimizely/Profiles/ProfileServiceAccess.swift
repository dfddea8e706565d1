package import TurnoutClient

/// Access to a user profile service that can only replace whole profiles.
///
/// Each decision performs one lookup and at most one save, and concurrent decisions for one user lose no assignments:
/// while any of them is in flight, the assignments of all are kept here, and every save contains them. Saves for one
/// user are serialized without blocking: a decision that finds a save in progress leaves its assignments to that one.
/// No lock is held while the service is called, so it may call back.
package final class ProfileServiceAccess: ProfileAccess {
    /// The decisions in flight for one user.
    private struct Flight {
        var visitorCount = 0
        /// The number of lookups started; a later lookup is at least as current as an earlier one.
        var lookupCount = 0
        var newestLookup = 0
        /// The result of the newest lookup: the profile to which assignments are added.
        var found: UncheckedSendable<ProfileDictionary.Profile>?
        var assigned: [String: String] = [:]
        var saved: [String: String] = [:]
        var isSaving = false

        var hasNews: Bool { assigned != saved }
        var isOver: Bool { visitorCount == 0 && !isSaving }
    }

    private let service: UncheckedSendable<any OPTUserProfileService>
    /// The service's key in the registry of accesses.
    private let serviceID: ObjectIdentifier
    private let flights = Locked<[ByteKey: Flight]>([:])

    /// Creates an access to a service; use ``access(to:knownAs:)`` instead.
    init(_ service: any OPTUserProfileService, _ id: ObjectIdentifier) {
        self.service = UncheckedSendable(service)
        serviceID = id
    }

    deinit { Self.forget(serviceID) }

    /// A service may block on a database, or on a task that needs the calling thread.
    package var isRemote: Bool { true }

    package func load(_ userID: String) -> ProfileSession {
        let user = ByteKey(userID)
        let number = flights.withLock { flights in
            flights[user, default: Flight()].visitorCount += 1
            flights[user]?.lookupCount += 1
            return flights[user]?.lookupCount ?? 0
        }
        let found = UncheckedSendable(service.value.lookup(userId: userID))
        let assigned = flights.withLock { flights in
            if let newest = flights[user]?.newestLookup, newest < number {
                flights[user]?.newestLookup = number
                flights[user]?.found = found.value.map(UncheckedSendable.init)
            }
            return flights[user]?.assigned ?? [:]
        }
        let known = ProfileDictionary.assignments(of: found.value)
        return ProfileSession(userID: userID, profile: UserProfile(known.merging(assigned) { $1 }))
    }

    package func commit(_ assignments: [String: String], in session: ProfileSession) {
        let user = ByteKey(session.userID)
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

    /// The profile and assignments that the caller has to save, or nil if nothing is new or another decision is saving.
    private func nextSave(
        for user: ByteKey, after hasSaved: Bool
    ) -> (found: UncheckedSendable<ProfileDictionary.Profile>?, assigned: [String: String])? {
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

    /// Writes the assignments of a service that the caller derived from the default one; others write in `save`.
    package func flush(within limit: Duration) async {
        await (service.value as? DefaultUserProfileService)?.store.flush(within: limit)
    }

    /// The number of users with decisions in flight.
    package var flightCount: Int { flights.withLock { $0.count } }
}
