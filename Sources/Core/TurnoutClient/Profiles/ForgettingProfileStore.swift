/// A profile store that can forget users, as requests for deletion demand.
package protocol ForgettingProfileStore: ProfileStore {
    /// Forgets a user, so that no file of the store contains the assignments, and discards what is queued. May block.
    ///
    /// - Throws: The store's error. Then the call can be repeated.
    func forget(_ userID: String) throws
}

/// A store of assignments cannot forget users.
package struct CannotForget: PrintableError, Equatable {
    /// Creates the error.
    package init() {}

    /// The problem.
    package var description: String { "a store of assignments cannot forget users" }
}
