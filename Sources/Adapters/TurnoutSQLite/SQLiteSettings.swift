#if SQLite
    public import TurnoutClient

    /// Small texts by name in a ``SQLiteStorage``, such as the id of the device.
    public final class SQLiteSettings: Sendable {
        private let journal: Journal

        init(_ journal: Journal) { self.journal = journal }

        /// The text of a name, or nil: there is none.
        ///
        /// - Throws: ``SQLiteError`` if it could not be read.
        public func get(_ name: String) throws -> String? {
            defer { journal.log() }
            return try journal.database.read { try $0.setting(name) }
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
            try journal.database.write { try $0.removeSetting(name) }
        }

        /// Replaces the text of a name by what `change` makes of it, nil if there is none. Nobody writes in between,
        /// neither in this process nor in others. It is in the file when the call returns.
        ///
        /// - Throws: ``SQLiteError`` if it could not be read or stored. `change` may have been called all the same.
        package func update(_ name: String, _ change: (String?) -> String?) throws {
            defer { journal.log() }
            try journal.database.write { session in
                let value = try session.setting(name)
                let changed = change(value)
                guard changed != value else { return }
                if let changed { try session.set(name, to: changed) } else { try session.removeSetting(name) }
            }
        }
    }

    extension SQLiteSettings {
        /// Where the facade keeps the id, too: a program that moves from it stays the same device.
        private static let deviceIDName = "optimizely-vuid"

        /// The id of this device, for `ClientConfiguration.deviceID`. The first time, one is made and stored; it stays
        /// the same from then on, for all processes on the directory.
        ///
        /// - Throws: ``SQLiteError`` if it could not be read or stored.
        public func deviceID() throws -> DeviceID {
            if let id = try get(Self.deviceIDName).flatMap({ DeviceID(rawValue: $0) }) { return id }
            defer { journal.log() }
            return try journal.database.write { session in
                // Another process may have made one meanwhile.
                if let id = try session.setting(Self.deviceIDName).flatMap({ DeviceID(rawValue: $0) }) { return id }
                let id = DeviceID.new()
                try session.set(Self.deviceIDName, to: id.rawValue)
                return id
            }
        }
    }

    extension Session {
        func setting(_ name: String) throws(SQLiteError) -> String? {
            let statement = try connection.statement("SELECT value FROM settings WHERE name = ?")
            statement.bind(1, name)
            defer { statement.reset() }
            return try statement.step() ? statement.text(0) : nil
        }

        func removeSetting(_ name: String) throws(SQLiteError) {
            let statement = try connection.statement("DELETE FROM settings WHERE name = ?")
            statement.bind(1, name)
            try statement.run()
        }

        func set(_ name: String, to value: String) throws(SQLiteError) {
            let statement = try connection.statement("INSERT OR REPLACE INTO settings(name, value) VALUES(?, ?)")
            statement.bind(1, name)
            statement.bind(2, value)
            try statement.run()
        }
    }
#endif
