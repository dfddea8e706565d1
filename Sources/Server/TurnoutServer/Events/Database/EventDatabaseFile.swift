import TurnoutSQLite

/// The file `events.sqlite` in a folder.
package struct EventDatabaseFile: Sendable {
    let directory: String
    private let survives: EventLogOptions.Survival
    package var path: String { directory + "/events.sqlite" }

    /// Creates the value; no file is touched.
    package init(directory: String, survives: EventLogOptions.Survival = .powerLoss) {
        self.directory = directory
        self.survives = survives
    }

    /// Opens the file to write, and creates it if necessary.
    func open(maximumSize: Int64?) throws -> SQLiteConnection {
        try SystemCall.makeDirectory(directory)
        if !SystemCall.exists(path) { _ = try SegmentFile.create(path) }
        let connection = try SQLiteConnection(path: path)
        connection.wait(milliseconds: 5_000)
        // Hashes change random pages, each of which is written as a whole: small pages, and few checkpoints.
        try connection.run(
            """
            PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA page_size = 4096;
            PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; \(survives.pragma);
            PRAGMA cache_size = -20480; PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = 67108864
            """)
        try EventSchema.prepare(connection)
        if let maximumSize { try connection.run("PRAGMA max_page_count = \(max(128, maximumSize / 4_096))") }
        return connection
    }

    /// Opens the file to read, while a server may write.
    ///
    /// - Throws: `SQLiteError` if there is no file, or it cannot be read.
    func read() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(reading: path)
        connection.wait(milliseconds: 5_000)
        try EventSchema.version(of: connection)
        return connection
    }

    /// Opens the file to read beside the connection of this process that writes.
    func readWhileWriting() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path)
        connection.wait(milliseconds: 5_000)
        try connection.run("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cache_size = -8192")
        return connection
    }
}
