import TurnoutClient

/// The decisions in flight for a group of users, by user. Hardly ever more than one, so they are searched one by one.
struct ProfileFlights: Sendable {
    typealias Found = UncheckedSendable<ProfileDictionary.Profile>
    /// The profile of the newest lookup, and the assignments to add to it; nil instead of the assignments if nothing is
    /// new or another decision is saving.
    typealias Save = (found: Found?, assigned: [String: String]?)

    /// The decisions in flight for one user.
    private struct Flight {
        let user: ByteKey
        var visitorCount = 0
        /// The number of lookups started; a later lookup is at least as current as an earlier one.
        var lookupCount = 0
        var newestLookup = 0
        /// The result of the newest lookup: the profile to which assignments are added.
        var found: Found?
        var assigned: [String: String] = [:]
        var saved: [String: String] = [:]
        var isSaving = false

        var needsSaving: Bool { assigned != saved }
        var isOver: Bool { visitorCount == 0 && !isSaving }
    }

    private var flights: [Flight] = []

    /// The number of users with decisions in flight.
    var count: Int { flights.count }

    /// Begins a decision.
    ///
    /// - Returns: The number of its lookup.
    mutating func begin(_ user: ByteKey) -> Int {
        let place = place(of: user) ?? flights.count
        if place == flights.count { flights.append(Flight(user: user)) }
        flights[place].visitorCount += 1
        flights[place].lookupCount += 1
        return flights[place].lookupCount
    }

    /// Ends a lookup.
    ///
    /// - Returns: The assignments by other decisions, which the lookup may have missed, and a profile that is no longer
    ///   needed. The caller releases it outside the lock, because deinitializers of its values may decide, too.
    mutating func endLookup(
        _ number: Int, of user: ByteKey, _ found: Found?
    ) -> (assigned: [String: String], unneeded: Found?) {
        guard let place = place(of: user) else { return ([:], found) }
        guard flights[place].newestLookup < number else { return (flights[place].assigned, found) }
        let former = flights[place].found
        flights[place].newestLookup = number
        flights[place].found = found
        return (flights[place].assigned, former)
    }

    /// Ends a decision with its assignments.
    ///
    /// - Returns: What the caller has to save, after which it calls ``endSave(of:)``. The caller releases the profile
    ///   outside the lock.
    mutating func end(_ user: ByteKey, adding assignments: [String: String]) -> Save {
        guard let place = place(of: user) else { return (nil, nil) }
        flights[place].visitorCount -= 1
        if !assignments.isEmpty { flights[place].assigned.merge(assignments) { $1 } }
        return nextSave(at: place)
    }

    /// Ends a save.
    ///
    /// - Returns: What the caller has to save next.
    mutating func endSave(of user: ByteKey) -> Save {
        guard let place = place(of: user) else { return (nil, nil) }
        flights[place].isSaving = false
        return nextSave(at: place)
    }

    private mutating func nextSave(at place: Int) -> Save {
        if flights[place].needsSaving, !flights[place].isSaving {
            flights[place].isSaving = true
            flights[place].saved = flights[place].assigned
            return (flights[place].found, flights[place].assigned)
        }
        guard flights[place].isOver else { return (nil, nil) }
        return (flights.remove(at: place).found, nil)
    }

    private func place(of user: ByteKey) -> Int? {
        // By index, because an iterator copies the dictionaries of each element.
        flights.indices.first { flights[$0].user == user }
    }
}
