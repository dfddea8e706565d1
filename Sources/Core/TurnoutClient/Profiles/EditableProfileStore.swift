/// A profile store whose profiles can also be replaced and removed, as services of the vendor's interfaces do.
///
/// The facades' user profile services call these functions on the threads of their callers: in decisions, for programs,
/// and to migrate older data when a service is created. The server calls ``replace(with:for:)`` for `/v1/save`, on a
/// thread for blocking calls if the store is remote. Calls overlap, for one user, too. If a call throws, a service does
/// not fail, and the server answers with status 500. Calls must end by themselves, because a server waits for lookups
/// in a store of this kind without a limit.
package protocol EditableProfileStore: ProfileStore {
    /// Whether assignments persist across launches.
    var isDurable: Bool { get }
    /// The number of assignments that are in memory only, and why they cannot be stored; nil if they can. Default:
    /// none.
    var waiting: (assignments: Int, error: (any Error)?) { get }
    /// The user's assignments in the store itself, bypassing any cache. Default: ``ProfileStore/profile(of:)``.
    ///
    /// - Throws: The store's error.
    func latestProfile(of userID: String) throws -> UserProfile
    /// Replaces all assignments of a user. Takes no longer than ``ProfileStore/save(_:for:)``.
    ///
    /// - Throws: The store's error, if they cannot be stored.
    func replace(with assignments: [String: String], for userID: String) throws
    /// Removes all profiles.
    ///
    /// - Throws: The store's error, if they are still there.
    func removeAll() throws
    /// Removes assignments to experiments that are no longer live.
    ///
    /// - Parameters:
    ///   - experiments: The ids of the live experiments.
    ///   - count: Only users with at least this many assignments are affected.
    /// - Throws: The store's error, if nothing was changed.
    func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) throws
    /// Writes pending assignments to durable storage.
    ///
    /// - Throws: The store's error, if some remain in memory.
    func synchronize() throws
}

extension EditableProfileStore {
    package var waiting: (assignments: Int, error: (any Error)?) { (0, nil) }

    /// Returns ``ProfileStore/profile(of:)``.
    package func latestProfile(of userID: String) throws -> UserProfile { try profile(of: userID) }

    /// Adds assignments from an older store, unless the user has another one in the same experiment.
    ///
    /// - Throws: The store's error. Assignments that cannot be read may be newer, so nothing is added then.
    package func addMissing(_ assignments: [String: String], for userID: String) throws {
        let known = try latestProfile(of: userID).assignments
        let missing = assignments.filter { known[$0.key] == nil }
        if !missing.isEmpty { try save(missing, for: userID) }
    }

    /// Whether a user has an assignment in each of these experiments.
    package func hasAssignments(of userID: String, inExperimentsOf assignments: [String: String]) -> Bool {
        guard let known = try? latestProfile(of: userID).assignments else { return false }
        return assignments.keys.allSatisfy { known[$0] != nil }
    }
}
