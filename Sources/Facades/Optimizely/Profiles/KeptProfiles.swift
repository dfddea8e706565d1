import TurnoutClient

/// What the default service remembers of users, in memory or on disk.
package protocol KeptProfiles: Sendable {
    /// Whether it outlasts the process.
    var isDurable: Bool { get }
    /// The profile that was saved last for a user, with what was assigned since, or nil: nothing is known.
    func profile(of user: String) -> OPTUserProfileService.UPProfile?
    /// The variation ids of a user by experiment id; empty if nothing is known.
    func assignments(of user: String) -> [String: String]
    /// Replaces the profile of a user.
    func save(_ profile: OPTUserProfileService.UPProfile, of user: String)
    /// Adds assignments to those of a user, in one step.
    func merge(_ assignments: [String: String], for user: String)
    /// Forgets a user.
    func remove(_ user: String)
    /// Forgets everybody.
    func removeAll()
    /// Forgets assignments in experiments that are not live any more, of users who have many.
    ///
    /// - Parameters:
    ///   - experiments: The ids of the live experiments.
    ///   - count: How many assignments are many.
    func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int)
}

/// Remembers users as long as the process runs; those that were not asked for longest go first.
struct MemoryProfiles: KeptProfiles {
    /// Users are spread over several locks, so that threads hardly ever wait for each other: as many as four bits can
    /// tell apart.
    private static let partCount = 16
    private let parts: [ProfileTable]

    /// Creates a memory for about so many users.
    init(users: Int) {
        let capacity = (max(1, users) + Self.partCount - 1) / Self.partCount
        parts = (0..<Self.partCount).map { _ in ProfileTable(capacity: capacity) }
    }

    var isDurable: Bool { false }
    func profile(of user: String) -> OPTUserProfileService.UPProfile? { part(of: user).profile(of: user) }
    func assignments(of user: String) -> [String: String] { part(of: user).assignments(of: user) }
    func save(_ profile: OPTUserProfileService.UPProfile, of user: String) { part(of: user).save(profile, of: user) }
    func merge(_ assignments: [String: String], for user: String) { part(of: user).merge(assignments, for: user) }
    func remove(_ user: String) { part(of: user).remove(user) }
    func removeAll() { for part in parts { part.removeAll() } }
    func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) {
        for part in parts { part.keepAssignments(in: experiments, ofUsersWithAtLeast: count) }
    }

    private func part(of user: String) -> ProfileTable { parts[Int(ExactText(user).fingerprint >> 60)] }
}
