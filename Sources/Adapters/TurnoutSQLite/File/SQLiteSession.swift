import TurnoutClient

/// An open file and the caches for its contents. A session is discarded when the file is reopened.
package final class SQLiteSession {
    let connection: SQLiteConnection
    var groups = GroupTable()
    /// Ids of events that were removed through this connection. If they reappear, the table is damaged: it refers
    /// to pages that are no longer used.
    var removed = RemovedIDs()

    /// Opens an existing file, or a database in memory if nil.
    init(path: String?, options: SQLiteOptions) throws(SQLiteError) {
        connection = try SQLiteConnection(path: path)
        connection.wait(milliseconds: Int32(min(options.busyTimeout / .milliseconds(1), 1e9)))
        if path != nil {
            try connection.run("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF")
            // Overwrites deleted data, whatever SQLite was built with: users can be forgotten.
            try connection.run("PRAGMA secure_delete = ON")
            // An empty file needs no flush before its first events.
            if options.survives == .processDeath, connection.fileSize == 0 {
                try connection.run("PRAGMA synchronous = OFF")
            }
            if try connection.text("PRAGMA journal_mode") != "wal" {
                try connection.run("PRAGMA page_size = 8192")
                // Throws for foreign files, before they are changed.
                try Schema.prepare(connection)
                try connection.run("PRAGMA journal_mode = WAL")
            }
            try connection.run("PRAGMA synchronous = \(options.survives == .powerLoss ? "FULL" : "NORMAL")")
            try connection.run("PRAGMA journal_size_limit = 1048576")
            connection.countLog()
        }
        try Schema.prepare(connection)
    }

    /// Opens a new file that no other connection uses yet.
    init(building path: String) throws(SQLiteError) {
        connection = try SQLiteConnection(path: path)
        try connection.run("PRAGMA page_size = 8192; PRAGMA secure_delete = ON")
        try Schema.prepare(connection)
    }

    /// Reads a file through a read-only connection.
    init(reading connection: SQLiteConnection) { self.connection = connection }

    /// Calls `body` with a consistent snapshot of the file.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.statement("BEGIN").run()
        // Nothing was written, so committing and rolling back are equivalent.
        defer { if connection.isInTransaction { try? connection.statement("COMMIT").run() } }
        return try body()
    }

    /// Calls `body` in an exclusive write transaction.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        let removed = removed
        try connection.statement("BEGIN IMMEDIATE").run()
        do {
            // Writes to a file that was moved aside would be lost.
            if connection.hasMoved {
                throw SQLiteError(code: SQLiteError.moved, message: "was moved", file: connection.path)
            }
            let result = try body()
            try connection.statement("COMMIT").run()
            return result
        } catch {
            // SQLite rolls some transactions back by itself.
            if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
            groups = GroupTable()
            self.removed = removed
            throw error
        }
    }
}
