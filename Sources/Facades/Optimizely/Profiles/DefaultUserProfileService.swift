import TurnoutClient

/// Remembers assignments in a file, of the 100,000 users that were asked for last.
///
/// Services in one program, and programs of one user of the system, share what they remember; assignments are added one
/// by one, so none of them loses another's. Without the package's trait `SQLite`, or if the file cannot be used, they
/// remember as long as the process runs.
///
/// May be used from any number of threads at once. Override ``lookup(userId:)`` and ``save(userProfile:)`` to keep
/// profiles elsewhere.
open class DefaultUserProfileService: OPTUserProfileService {
    /// Profiles by user id.
    public typealias UserProfileData = [String: UPProfile]

    private let profiles: any KeptProfiles

    /// Creates a service.
    public required init() { profiles = World.current.storage.profiles() }

    /// Creates a service with a memory of its own.
    package init(_ profiles: any KeptProfiles) { self.profiles = profiles }

    /// Creates a service that remembers about so many users, as long as the process runs.
    package convenience init(users: Int) { self.init(MemoryProfiles(users: users)) }

    /// What was saved last for a user, or nil: nothing is known.
    ///
    /// A profile in a file is `user_id` and `experiment_bucket_map`, whatever else was saved with it.
    open func lookup(userId: String) -> UPProfile? { profiles.profile(of: userId) }

    /// Replaces what is known of a user. Does nothing unless the profile's `user_id` is a string.
    open func save(userProfile: UPProfile) {
        guard let user = ProfileDictionary.userID(of: userProfile) else { return }
        profiles.save(userProfile, of: user)
    }

    /// Forgets everybody, and remembers other users instead.
    ///
    /// - Parameter userProfiles: Profiles by user id. Default: none.
    open func reset(userProfiles: UserProfileData? = nil) {
        profiles.removeAll()
        for (user, profile) in userProfiles ?? [:] { profiles.save(profile, of: user) }
    }

    // MARK: Without dictionaries

    /// Whether what is remembered outlasts the process.
    package var isDurable: Bool { profiles.isDurable }

    /// The variation ids of a user by experiment id; empty if nothing is known.
    package func assignments(of userID: String) -> [String: String] { profiles.assignments(of: userID) }

    /// Adds assignments to those of a user, in one step.
    package func merge(_ assignments: [String: String], for userID: String) { profiles.merge(assignments, for: userID) }

    /// Forgets a user.
    package func remove(_ userID: String) { profiles.remove(userID) }

    /// Forgets assignments in experiments that are not live any more, of users who have many.
    package func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) {
        profiles.keepAssignments(in: experiments, ofUsersWithAtLeast: count)
    }
}
