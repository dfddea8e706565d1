/// A profile store that adds the assignments of many users with one call.
package protocol BatchProfileStore: ProfileStore {
    /// Adds assignments of users. Each user occurs once; otherwise like ``ProfileStore/save(_:for:)``.
    ///
    /// - Returns: Whether the store can do that; otherwise nothing was stored.
    /// - Throws: Any error, if some of the assignments could not be stored. Others may have been.
    func save(_ batch: [(userID: String, assignments: [String: String])]) throws -> Bool
}
