#if SQLite
    /// The file beside a database that has its latest changes: `NAME-wal`.
    ///
    /// If the database is replaced while it is open, SQLite leaves this file behind, and would apply its changes to the
    /// new database.
    struct WriteAheadLog: Sendable {
        private let path: String
        private let number: UInt64?

        /// The log of a database, which a connection has opened.
        init(of database: String) {
            path = database + "-wal"
            number = SystemCall.number(of: path)
        }

        /// Whether there is one that belongs to no database.
        static func exists(besides database: String) -> Bool {
            SystemCall.exists(database + "-wal") || SystemCall.exists(database + "-wal.replaced")
        }

        /// Gives the log another name, `NAME-wal.replaced`, when all connections are closed, unless it is another one
        /// by now, which belongs to the new database.
        func moveAside() throws {
            guard let number, SystemCall.number(of: path) == number else { return }
            try SystemCall.move(path, to: path + ".replaced")
            SystemCall.remove(path.dropLast(3) + "shm")
        }
    }
#endif
