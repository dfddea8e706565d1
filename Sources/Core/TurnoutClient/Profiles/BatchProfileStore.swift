/// A profile store that serves many users with one request: ``ProfileStore/profiles(of:)`` makes one for all users, or
/// one for each server.
package protocol BatchProfileStore: ProfileStore {
    /// Adds assignments of users. Each user occurs once; otherwise like ``ProfileStore/save(_:for:)``.
    ///
    /// - Returns: Whether the store can do that with one request; otherwise nothing was stored. Default: false.
    /// - Throws: Any error, if some of the assignments could not be stored. Others may have been.
    func save(_ batch: [(userID: String, assignments: [String: String])]) throws -> Bool
}

extension BatchProfileStore {
    package func save(_ batch: [(userID: String, assignments: [String: String])]) throws -> Bool { false }
}
