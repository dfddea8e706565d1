#if SQLite
    /// Small texts by name in a ``SQLiteStorage``, such as the id of the device.
    public final class SQLiteSettings: Sendable {
        private let journal: Journal

        init(_ journal: Journal) { self.journal = journal }

        /// The text of a name, or nil: there is none.
        ///
        /// - Throws: ``SQLiteError`` if it could not be read.
        public func get(_ name: String) throws -> String? {
            defer { journal.log() }
            return try journal.database.read { session in
                let statement = try session.connection.statement("SELECT value FROM settings WHERE name = ?")
                statement.bind(1, name)
                defer { statement.reset() }
                return try statement.step() ? statement.text(0) : nil
            }
        }

        /// Sets the text of a name. It is in the file when the call returns.
        ///
        /// - Throws: ``SQLiteError`` if it could not be stored.
        public func set(_ name: String, to value: String) throws {
            defer { journal.log() }
            try journal.database.write { try $0.set(name, to: value) }
        }

        /// Removes a name and its text.
        ///
        /// - Throws: ``SQLiteError`` if that could not be written.
        public func remove(_ name: String) throws {
            defer { journal.log() }
            try journal.database.write { session in
                let statement = try session.connection.statement("DELETE FROM settings WHERE name = ?")
                statement.bind(1, name)
                try statement.run()
            }
        }
    }

    extension Session {
        func set(_ name: String, to value: String) throws(SQLiteError) {
            let statement = try connection.statement("INSERT OR REPLACE INTO settings(name, value) VALUES(?, ?)")
            statement.bind(1, name)
            statement.bind(2, value)
            try statement.run()
        }
    }
#endif
