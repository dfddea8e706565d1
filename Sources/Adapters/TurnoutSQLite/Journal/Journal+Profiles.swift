import TurnoutClient

extension Journal {
    /// The assignments of a user that are in the file.
    func storedProfile(of userID: String) throws -> (assignments: [String: String], id: Int64, used: Int64)? {
        guard database.isDurable, !waitsForDurability else {
            defer { log() }
            return try database.read { try $0.profile(of: userID) }
        }
        do {
            return try database.readers.lookUp { try $0.profile(of: userID) }
        } catch {
            // Only the writing connection repairs damage, and it may be waiting for the file.
            perform(state.withLock { $0.readFailed(userID) })
            log()
            throw error
        }
    }

    func save(_ change: ProfileChange) throws {
        startCleanAfterFork()
        while true {
            if let (work, group) = state.withLock({ $0.save(change) }) {
                perform(work)
                if let error = group?.wait().error { throw error }
                return
            }
            guard waitsForDurability, state.withLock({ $0.profiles.holdsMemory }) else {
                throw ProfileStoreError.full
            }
            if let error = commit() { throw error }
        }
    }

    /// Changes assignments at once, after all earlier changes.
    ///
    /// - Parameters:
    ///   - userID: The user; nil for all users.
    ///   - erases: Whether to erase the remains of deleted data.
    ///   - body: The change.
    /// - Throws: ``SQLiteError``, and the errors of `body`.
    func changeProfiles(
        of userID: String?, erasing erases: Bool = false, _ body: (SQLiteSession, inout Totals) throws -> Void
    ) throws {
        commit()
        defer { log() }
        try database.withWriter { writer in
            try writer.write { session in
                var users = try session.totals(Totals.users)
                try body(session, &users)
                try session.save(users)
            }
            // If the transaction fails, they remain to be written.
            state.withLock { $0.profiles.drop(userID) }
            if erases { try writer.erase(userID) }
        }
    }
}
