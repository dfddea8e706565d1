import TurnoutClient

/// Remembers assignments as long as the process runs, of the 100,000 users that were asked for last.
///
/// May be used from any number of threads at once. Override ``lookup(userId:)`` and ``save(userProfile:)`` to keep
/// profiles elsewhere.
open class DefaultUserProfileService: OPTUserProfileService {
    /// Profiles by user id.
    public typealias UserProfileData = [String: UPProfile]

    /// Users are spread over several locks, so that threads hardly ever wait for each other.
    private static let partCount = 16
    private let parts: [ProfileTable]

    /// Creates a service that knows nobody.
    public required init() { parts = Self.parts(users: 100_000) }

    /// Creates a service that remembers about so many users.
    package init(users: Int) { parts = Self.parts(users: users) }

    private static func parts(users: Int) -> [ProfileTable] {
        let capacity = (max(1, users) + partCount - 1) / partCount
        return (0..<partCount).map { _ in ProfileTable(capacity: capacity) }
    }

    /// What was saved last for a user, or nil: nothing is known.
    open func lookup(userId: String) -> UPProfile? { part(of: userId).profile(of: userId) }

    /// Replaces what is known of a user. Does nothing unless the profile's `user_id` is a string.
    open func save(userProfile: UPProfile) {
        guard let user = ProfileDictionary.userID(of: userProfile) else { return }
        part(of: user).save(userProfile, of: user)
    }

    /// Forgets everybody, and remembers other users instead.
    ///
    /// - Parameter userProfiles: Profiles by user id. Default: none.
    open func reset(userProfiles: UserProfileData? = nil) {
        for part in parts { part.removeAll() }
        for (user, profile) in userProfiles ?? [:] { part(of: user).save(profile, of: user) }
    }

    // MARK: Without dictionaries

    /// The variation ids of a user by experiment id; empty if nothing is known.
    package func assignments(of userID: String) -> [String: String] { part(of: userID).assignments(of: userID) }

    /// Adds assignments to those of a user, in one step.
    package func merge(_ assignments: [String: String], for userID: String) {
        part(of: userID).merge(assignments, for: userID)
    }

    private func part(of userID: String) -> ProfileTable { parts[abs(userID.hashValue % Self.partCount)] }
}
