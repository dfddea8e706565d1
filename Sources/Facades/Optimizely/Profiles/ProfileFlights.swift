import TurnoutClient

/// The decisions in flight for a group of users, by user. Hardly ever more than one, so they are searched one by one.
struct ProfileFlights: Sendable {
    typealias Found = UncheckedSendable<ProfileDictionary.Profile>

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

        var hasNews: Bool { assigned != saved }
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
    /// - Returns: The assignments by other decisions, which the lookup may have missed.
    mutating func endLookup(_ number: Int, of user: ByteKey, _ found: Found?) -> [String: String] {
        guard let place = place(of: user) else { return [:] }
        if flights[place].newestLookup < number {
            flights[place].newestLookup = number
            flights[place].found = found
        }
        return flights[place].assigned
    }

    /// Ends a decision, after which ``nextSave(of:after:)`` has to be called.
    mutating func end(_ user: ByteKey, adding assignments: [String: String]) {
        guard let place = place(of: user) else { return }
        flights[place].visitorCount -= 1
        if !assignments.isEmpty { flights[place].assigned.merge(assignments) { $1 } }
    }

    /// The profile and assignments that the caller has to save, or nil if nothing is new or another decision is saving.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - hasSaved: Whether the caller has just saved.
    /// - Returns: The profile of the newest lookup, and the assignments to add to it.
    mutating func nextSave(of user: ByteKey, after hasSaved: Bool) -> (found: Found?, assigned: [String: String])? {
        guard let place = place(of: user) else { return nil }
        if hasSaved { flights[place].isSaving = false }
        if flights[place].hasNews, !flights[place].isSaving {
            flights[place].isSaving = true
            flights[place].saved = flights[place].assigned
            return (flights[place].found, flights[place].assigned)
        }
        if flights[place].isOver { flights.remove(at: place) }
        return nil
    }

    private func place(of user: ByteKey) -> Int? {
        // By index, because an iterator copies the dictionaries of each element.
        flights.indices.first { flights[$0].user == user }
    }
}
