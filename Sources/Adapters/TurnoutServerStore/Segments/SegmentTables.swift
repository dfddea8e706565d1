#if SQLite
    import TurnoutServer
    import TurnoutSQLite

    /// The tables of lists and devices, through a connection.
    final class SegmentTables {
        let connection: SQLiteConnection
        let limits: SegmentLimits
        private static let version: Int64 = 1

        /// Opens the file, which only one connection may create.
        init(directory: String, _ limits: SegmentLimits, creates: Bool) throws {
            self.limits = limits
            let path = directory + "/segments.sqlite"
            if creates {
                try SystemCall.makeDirectory(directory)
                if !SystemCall.exists(path) { _ = try SegmentFile.create(path) }
            }
            connection = try SQLiteConnection(path: path)
            connection.wait(milliseconds: 5_000)
            try connection.run(
                "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA journal_mode = WAL; "
                    + "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864")
            try prepare()
        }

        private func prepare() throws {
            let found = try number("PRAGMA user_version")
            guard found != Self.version else { return }
            guard found == 0 else {
                throw SQLiteError(
                    code: -2,
                    message: "the file has version \(found) of the tables, this program writes version "
                        + "\(Self.version); use the newer program", file: connection.path)
            }
            try connection.run(
                """
                BEGIN IMMEDIATE;
                CREATE TABLE lists(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, count INTEGER NOT NULL);
                CREATE TABLE members(list INTEGER NOT NULL, user TEXT NOT NULL, PRIMARY KEY(list, user)) WITHOUT ROWID;
                CREATE INDEX members_by_user ON members(user);
                CREATE TABLE devices(device TEXT PRIMARY KEY, user TEXT NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;
                CREATE INDEX devices_by_user ON devices(user, last);
                CREATE INDEX devices_by_time ON devices(last);
                CREATE TABLE totals(name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
                INSERT INTO totals VALUES('devices', 0);
                PRAGMA user_version = \(Self.version);
                COMMIT
                """)
        }

        /// Ends a transaction without its changes, if there is one.
        func rollBack() {
            if connection.isInTransaction { _ = try? run("ROLLBACK") }
        }

        // MARK: Statements

        /// Runs a statement, and returns how many rows it changed.
        @discardableResult
        func run(_ sql: String, _ texts: [String] = [], _ numbers: Int64...) throws -> Int {
            let statement = try prepared(sql, texts, numbers)
            try statement.run()
            return connection.changes
        }

        /// The first column of the first row; 0 without one.
        func number(_ sql: String, _ texts: [String] = [], _ numbers: Int64...) throws -> Int64 {
            let statement = try prepared(sql, texts, numbers)
            defer { statement.reset() }
            return try statement.step() ? statement.int(0) : 0
        }

        /// The first column of all rows.
        func texts(_ sql: String, _ texts: [String] = [], _ numbers: Int64...) throws -> [String] {
            let statement = try prepared(sql, texts, numbers)
            defer { statement.reset() }
            var rows: [String] = []
            while try statement.step() { rows.append(statement.text(0)) }
            return rows
        }

        /// A statement whose parameters are texts, then numbers.
        private func prepared(_ sql: String, _ texts: [String], _ numbers: [Int64]) throws -> Statement {
            let statement = try connection.statement(sql)
            for (index, text) in texts.enumerated() { statement.bind(Int32(index + 1), text) }
            for (index, number) in numbers.enumerated() { statement.bind(Int32(texts.count + index + 1), number) }
            return statement
        }
    }
#endif
