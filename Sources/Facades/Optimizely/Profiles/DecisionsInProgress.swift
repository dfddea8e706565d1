import TurnoutClient

/// The decisions in progress for a group of users, by user. Hardly ever more than one user, so they are searched one by
/// one. Unlike callers of a `SingleFlight`, decisions share no result: each looks up, and their assignments are merged.
struct DecisionsInProgress: Sendable {
    typealias Found = UncheckedSendable<ProfileDictionary.Profile>
    /// The profile of the newest lookup, and the assignments to add to it; nil instead of the assignments if nothing is
    /// new or another decision is saving.
    typealias Save = (found: Found?, assigned: [String: String]?)

    /// The decisions in progress for one user.
    private struct User {
        let id: ByteKey
        var decisionCount = 0
        /// The number of lookups started; a later lookup is at least as current as an earlier one.
        var lookupCount = 0
        var newestLookup = 0
        /// The result of the newest lookup: the profile to which assignments are added.
        var found: Found?
        var assigned: [String: String] = [:]
        var saved: [String: String] = [:]
        var isSaving = false

        var needsSaving: Bool { assigned != saved }
        var isOver: Bool { decisionCount == 0 && !isSaving }
    }

    private var users: [User] = []

    /// The number of users with decisions in progress.
    var count: Int { users.count }

    /// Begins a decision.
    ///
    /// - Returns: The number of its lookup.
    mutating func begin(_ user: ByteKey) -> Int {
        let place = place(of: user) ?? users.count
        if place == users.count { users.append(User(id: user)) }
        users[place].decisionCount += 1
        users[place].lookupCount += 1
        return users[place].lookupCount
    }

    /// Ends a lookup.
    ///
    /// - Returns: The assignments by other decisions, which the lookup may have missed, and a profile that is no longer
    ///   needed. The caller releases it outside the lock, because deinitializers of its values may decide, too.
    mutating func endLookup(
        _ number: Int, of user: ByteKey, _ found: Found?
    ) -> (assigned: [String: String], unneeded: Found?) {
        guard let place = place(of: user) else { return ([:], found) }
        guard users[place].newestLookup < number else { return (users[place].assigned, found) }
        let former = users[place].found
        users[place].newestLookup = number
        users[place].found = found
        return (users[place].assigned, former)
    }

    /// Ends a decision with its assignments.
    ///
    /// - Returns: What the caller has to save, after which it calls ``endSave(of:)``. The caller releases the profile
    ///   outside the lock.
    mutating func end(_ user: ByteKey, adding assignments: [String: String]) -> Save {
        guard let place = place(of: user) else { return (nil, nil) }
        users[place].decisionCount -= 1
        if !assignments.isEmpty { users[place].assigned.merge(assignments) { $1 } }
        return nextSave(at: place)
    }

    /// Ends a save.
    ///
    /// - Returns: What the caller has to save next.
    mutating func endSave(of user: ByteKey) -> Save {
        guard let place = place(of: user) else { return (nil, nil) }
        users[place].isSaving = false
        return nextSave(at: place)
    }

    private mutating func nextSave(at place: Int) -> Save {
        if users[place].needsSaving, !users[place].isSaving {
            users[place].isSaving = true
            users[place].saved = users[place].assigned
            return (users[place].found, users[place].assigned)
        }
        guard users[place].isOver else { return (nil, nil) }
        return (users.remove(at: place).found, nil)
    }

    private func place(of user: ByteKey) -> Int? {
        // By index, because an iterator copies the dictionaries of each element.
        users.indices.first { users[$0].id == user }
    }
}
