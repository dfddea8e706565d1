#if SQLite
    public import TurnoutClient
    public import TurnoutEngine

    /// Remembers assignments in a ``SQLiteStorage``.
    ///
    /// Threads, clients and processes that share the file never lose each other's assignments, and see them as soon as
    /// they are in the file; their own they see at once.
    public final class SQLiteProfileStore: ProfileStore {
        private let journal: Journal

        init(_ journal: Journal) { self.journal = journal }

        /// What a user was assigned before.
        ///
        /// - Throws: ``SQLiteError`` if it could not be read.
        public func profile(of userID: String) throws -> UserProfile {
            // Before the file: what is written in between is then in one of them.
            let (waiting, latestUse) = journal.buffer.withLock { buffer in
                (buffer.overlay.isEmpty ? nil : buffer.overlay[ExactText(userID)]?.assignments, buffer.latestUse)
            }
            defer { journal.log() }
            let stored = try journal.database.read { try $0.profile(of: userID) }
            // Writing each use would make reading dear. Who falls behind by an eighth is moved to the front.
            if let stored, latestUse - stored.used > Int64(journal.options.maximumUsers / 8) {
                journal.buffer.withLock { if $0.touched.count < 1_000 { $0.touched.insert(stored.id) } }
            }
            guard let waiting else { return UserProfile(stored?.assignments ?? [:]) }
            return UserProfile((stored?.assignments ?? [:]).merging(waiting) { $1 })
        }

        /// True with ``SQLiteOptions/Durability-swift.enum/beforeReturning``: additions wait for the file.
        public var isRemote: Bool { journal.options.durability == .beforeReturning }

        /// Adds assignments to those of a user. When they are in the file is a matter of ``SQLiteOptions/durability``.
        ///
        /// - Throws: ``SQLiteError`` if they should be in the file now and are only in memory.
        public func remember(_ assignments: [String: String], for userID: String) throws {
            guard !assignments.isEmpty else { return }
            try journal.remember(ProfileChange(userID: userID, assignments: assignments))
        }

        /// Replaces all assignments of a user. They are in the file when the call returns.
        ///
        /// - Throws: ``SQLiteError`` if that could not be written.
        public func replace(_ userID: String, _ assignments: [String: String]) throws {
            let limit = journal.options.maximumUsers
            try journal.changeProfiles(of: userID) { session, users in
                try session.forget(userID, in: &users)
                guard !assignments.isEmpty else { return }
                try session.remember(ProfileChange(userID: userID, assignments: assignments), in: &users)
                try session.trim(&users, to: limit)
            }
        }

        /// Forgets a user. Nothing of them is in the tables when the call returns.
        ///
        /// - Throws: ``SQLiteError`` if that could not be written.
        public func forget(_ userID: String) throws {
            try journal.changeProfiles(of: userID) { try $0.forget(userID, in: &$1) }
        }

        /// Forgets all users.
        ///
        /// - Throws: ``SQLiteError`` if that could not be written.
        public func removeAll() throws {
            try journal.changeProfiles(of: nil) { session, users in
                try session.connection.run("DELETE FROM assignments; DELETE FROM users")
                users.count = 0
            }
        }

        /// Forgets assignments in experiments other than these, of users who have at least so many.
        ///
        /// - Throws: ``SQLiteError`` if that could not be written.
        package func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) throws {
            journal.commit()
            defer { journal.log() }
            try journal.database.withWriter { writer in
                try writer.write { try $0.keepAssignments(in: experiments, ofUsersWithAtLeast: count) }
            }
        }

        /// The number of users that are remembered.
        ///
        /// - Throws: ``SQLiteError`` if it could not be read.
        public var count: Int {
            get throws {
                journal.commit()
                return Int(try journal.database.read { try $0.existingTotals(Totals.users)?.count ?? 0 })
            }
        }
    }

    extension Journal {
        /// Users whose assignments may wait in memory while the file cannot be written.
        private static let waitingUsers = 10_000

        func remember(_ change: ProfileChange) throws {
            let isDurable = options.durability == .beforeReturning
            // Again if there is no room in memory: what waits there must go to the file first, or this has failed.
            while true {
                let step: (round: Round, waits: Bool, isHeir: Bool, rings: Bool)? = buffer.withLock { buffer in
                    guard buffer.strandedChanges.count + buffer.changes.count < Self.waitingUsers else { return nil }
                    buffer.add(change)
                    let rings = !isDurable && !buffer.isAlarmSet
                    if rings { buffer.isAlarmSet = true }
                    let waits = isDurable && buffer.isLed
                    let isHeir = waits && buffer.join()
                    if isDurable { buffer.isLed = true }
                    return (buffer.round, waits, isHeir, rings)
                }
                guard let step else {
                    if let error = commit() { throw error }
                    continue
                }
                if step.rings { ring() }
                guard isDurable else { return }
                if !step.waits || step.round.wait(asHeir: step.isHeir) { lead() }
                if let error = step.round.outcome?.error { throw error }
                return
            }
        }

        /// Changes assignments at once, after what was remembered before.
        func changeProfiles(of userID: String?, _ body: (Session, inout Totals) throws -> Void) throws {
            commit()
            defer { log() }
            try database.withWriter { writer in
                buffer.withLock { $0.dropChanges(of: userID) }
                try writer.write { session in
                    var users = try session.totals(Totals.users)
                    try body(session, &users)
                    try session.save(users)
                }
            }
        }
    }
#endif
