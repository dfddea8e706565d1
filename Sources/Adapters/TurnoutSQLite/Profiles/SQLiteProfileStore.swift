public import TurnoutClient
public import TurnoutEngine

/// Stores assignments in a ``SQLiteStorage``.
///
/// Threads, clients and processes that share the file never lose each other's assignments. They see their own at
/// once, and others as soon as those are in the file.
public final class SQLiteProfileStore: ProfileStore {
    private let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    /// The stored assignments of a user.
    ///
    /// With ``SQLiteOptions/Durability-swift.enum/soon(within:)`` the call does not wait for the writing thread,
    /// and waits about ten milliseconds at most for the file's lock. A damaged file is repaired in the background.
    /// With ``SQLiteOptions/Durability-swift.enum/beforeReturning`` the call waits for both.
    ///
    /// - Throws: ``SQLiteError`` if they could not be read. Then no stored assignments are changed.
    public func profile(of userID: String) throws -> UserProfile {
        journal.startCleanAfterFork()
        // Before the file is read: a change that is written in between is then in one of them.
        let (pending, latestUse) = journal.state.withLock {
            ($0.profiles.change(of: userID), $0.profiles.latestUse)
        }
        if let pending, pending.replaces { return UserProfile(pending.assignments) }
        let stored = try journal.storedProfile(of: userID)
        // Writing each use would make reading expensive, so a user's last use is updated only after an eighth of
        // the list was used more recently.
        if let stored, latestUse - stored.used > Int64(journal.options.maximumUsers / 8) {
            journal.state.withLock { $0.profiles.use(stored.id) }
        }
        guard let pending else { return UserProfile(stored?.assignments ?? [:]) }
        return UserProfile((stored?.assignments ?? [:]).merging(pending.assignments) { $1 })
    }

    /// Whether lookups read a file; false if everything is in memory.
    public var isRemote: Bool { journal.database.isDurable || journal.waitsForDurability }

    /// Whether additions never wait. False with ``SQLiteOptions/Durability-swift.enum/beforeReturning``.
    public var savesImmediately: Bool { !journal.waitsForDurability }

    /// Adds assignments to those of a user. ``SQLiteOptions/durability`` decides when they are in the file.
    ///
    /// - Throws: ``SQLiteError`` if they should be in the file when the call returns and are only in memory;
    ///   `ProfileStoreError.full` if they are lost because the memory for assignments is full, see
    ///   ``SQLiteOptions/maximumBufferedBytes``.
    public func save(_ assignments: [String: String], for userID: String) throws {
        guard !assignments.isEmpty else { return }
        try journal.save(ProfileChange(userID: userID, assignments: assignments))
    }

    /// Replaces all assignments of a user. The new ones are in the file when the call returns.
    ///
    /// - Throws: ``SQLiteError`` if that could not be written.
    public func replace(_ userID: String, _ assignments: [String: String]) throws {
        let limit = journal.options.maximumUsers
        try journal.changeProfiles(of: userID) { session, users in
            try session.forget(userID, in: &users)
            guard !assignments.isEmpty else { return }
            try session.save(ProfileChange(userID: userID, assignments: assignments), in: &users)
            try session.trim(&users, to: limit)
        }
    }

    /// Forgets a user. When the call returns, the user's assignments and refused events are in no file of the
    /// directory: they are erased from the tables and the write-ahead log, and damaged files that were moved aside
    /// are deleted. The call takes as long as copying the log into the file.
    ///
    /// Undelivered events stay, because they are still to be sent. Flush the client first: then only events that
    /// could not be delivered remain, until they are.
    ///
    /// - Throws: ``SQLiteError`` if that could not be written, or if another connection still reads from the log;
    ///   call again then.
    public func forget(_ userID: String) throws {
        try journal.changeProfiles(of: userID, erasing: true) { session, users in
            try session.forget(userID, in: &users)
            try session.forgetRejected(of: userID)
        }
    }

    /// Forgets all users, in the way ``forget(_:)`` forgets one.
    ///
    /// - Throws: ``SQLiteError`` if that could not be written, or if another connection still reads from the log;
    ///   call again then.
    public func removeAll() throws {
        try journal.changeProfiles(of: nil, erasing: true) { session, users in
            try session.connection.run("DELETE FROM assignments; DELETE FROM users")
            try session.forgetRejected(of: nil)
            users.count = 0
        }
    }

    /// Writes assignments that are still in memory to the file. Waits no longer than the limit; a write that takes
    /// longer continues in the background. A failure is logged, and the assignments stay in memory.
    public func flush(within limit: Duration) async {
        _ = await value(within: limit, on: .continuous, executor: DispatchExecutor.blockingCallers) { [journal] in
            await BlockingCall.value { _ = journal.commit(evenIfPausing: true) }
        }
    }

    /// The number of users with stored assignments.
    ///
    /// - Throws: ``SQLiteError`` if it could not be read.
    public var count: Int {
        get throws {
            journal.commit()
            return Int(try journal.database.read { try $0.existingTotals(Totals.users)?.count ?? 0 })
        }
    }
}

extension SQLiteProfileStore: EditableProfileStore {
    /// Whether assignments persist across launches.
    package var isDurable: Bool { journal.database.isDurable }

    package var waiting: (assignments: Int, error: (any Error)?) {
        let (count, error) = journal.state.withLock { ($0.unwrittenCount.assignments, $0.backoff.error) }
        return (count, count > 0 ? error : nil)
    }

    /// Replaces all assignments of a user. They reach the file as with ``save(_:for:)``.
    package func replace(with assignments: [String: String], for userID: String) throws {
        try journal.save(ProfileChange(userID: userID, assignments: assignments, replaces: true))
    }

    package func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) throws {
        journal.commit()
        defer { journal.log() }
        try journal.database.withWriter { writer in
            try writer.write { try $0.keepAssignments(in: experiments, ofUsersWithAtLeast: count) }
        }
    }

    package func synchronize() throws {
        if let error = journal.commit(evenIfPausing: true) { throw error }
    }
}
