import TurnoutClient
package import TurnoutEngine

/// Reads the assignments in the file of a ``SQLiteStorage`` without changing the directory: no file is created,
/// locked or repaired. So another user of the system may inspect the file of a service.
package final class SQLiteProfileReader: ProfileStore {
    private let session: Locked<SQLiteSession>

    /// Opens the file in a directory.
    ///
    /// - Throws: ``SQLiteError`` if it cannot be read, is damaged, or was not written by this version.
    package init(directory: String) throws {
        session = Locked(try Self.explaining { try Self.open(directory + "/turnout.sqlite") })
    }

    private static func open(_ path: String) throws(SQLiteError) -> SQLiteSession {
        let connection = try SQLiteConnection(reading: path)
        connection.wait(milliseconds: 5_000)
        let owner = try connection.number("PRAGMA application_id")
        let version = try connection.number("PRAGMA user_version")
        if owner == Schema.application, version > Schema.version {
            throw .newer(version, than: Schema.version, file: path)
        }
        guard owner == Schema.application, version >= 2 else {
            throw SQLiteError(code: SQLiteError.foreign, message: "not a file of this version of Turnout", file: path)
        }
        return SQLiteSession(reading: connection)
    }

    private static func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError where error.isDamage {
            throw SQLiteError(
                code: error.code,
                message: error.message + "; nothing was changed: the program that owns the file saves what can be "
                    + "read when it opens it",
                file: error.file)
        }
    }

    /// The stored assignments of a user.
    package func profile(of userID: String) throws -> UserProfile {
        UserProfile(try read { try $0.profile(of: userID)?.assignments } ?? [:])
    }

    /// Not supported.
    ///
    /// - Throws: ``SQLiteError``, always.
    package func save(_ assignments: [String: String], for userID: String) throws {
        throw SQLiteError(code: 8, message: "opened read-only", file: session.withLock { $0.connection.path })
    }

    /// The number of users with stored assignments.
    package var count: Int {
        get throws { Int(try read { try $0.existingTotals(Totals.users)?.count } ?? 0) }
    }

    private func read<Result: Sendable>(_ body: (SQLiteSession) throws -> Result?) throws -> Result? {
        try Self.explaining { try session.withLock { try body($0) } }
    }
}
