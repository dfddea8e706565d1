#if SQLite
    import TurnoutClient

    /// An open file and what is known of its contents. All of it goes when the file is opened again.
    package final class Session {
        let connection: SQLiteConnection
        var groups = GroupTable()
        /// Ids of events that were removed through this connection. If they turn up again, the table is damaged: it
        /// leads to pages that are no longer used.
        var removed = RemovedIDs()

        /// Opens a file that exists; nil: in memory.
        init(path: String?, options: SQLiteOptions) throws(SQLiteError) {
            connection = try SQLiteConnection(path: path)
            connection.wait(milliseconds: Int32(min(options.patience / .milliseconds(1), 1e9)))
            if path != nil {
                try connection.run("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF")
                try connection.run("PRAGMA synchronous = \(options.survives == .powerLoss ? "FULL" : "NORMAL")")
                if try connection.text("PRAGMA journal_mode") != "wal" {
                    try connection.run("PRAGMA page_size = 8192")
                    // Checked before the file is changed.
                    try Schema.prepare(connection)
                    try connection.run("PRAGMA journal_mode = WAL")
                }
                try connection.run("PRAGMA journal_size_limit = 1048576")
                connection.countLog()
            }
            try Schema.prepare(connection)
        }

        /// Opens a file that nobody else knows yet.
        init(building path: String) throws(SQLiteError) {
            connection = try SQLiteConnection(path: path)
            try Schema.prepare(connection)
        }

        /// Reads from a file that is damaged.
        init(salvaging connection: SQLiteConnection) { self.connection = connection }

        /// Calls `body` to read the file as it is at one moment, whatever others write meanwhile.
        func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
            try connection.statement("BEGIN").run()
            // Nothing was written, so either end does.
            defer { if connection.isInTransaction { try? connection.statement("COMMIT").run() } }
            return try body()
        }

        /// Calls `body` in a transaction that nobody else writes during.
        func transaction<Result>(_ body: () throws -> Result) throws -> Result {
            let removed = removed
            try connection.statement("BEGIN IMMEDIATE").run()
            do {
                // What is written into a file that was put aside is lost.
                if connection.hasMoved {
                    throw SQLiteError(code: SQLiteError.moved, message: "was moved", file: connection.path)
                }
                let result = try body()
                try connection.statement("COMMIT").run()
                return result
            } catch {
                // SQLite ends some transactions by itself.
                if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
                groups = GroupTable()
                self.removed = removed
                throw error
            }
        }
    }

    extension SQLiteConnection {
        /// The text that a statement used once gives.
        func text(_ sql: String) throws(SQLiteError) -> String {
            let statement = try statement(sql)
            defer { statement.reset() }
            return try statement.step() ? statement.text(0) : ""
        }
    }
#endif
