#if SQLite
    import TurnoutSQLite

    /// The tables of processed events.
    ///
    /// Texts that many rows share are stored once; the number of such a row is a hash of the texts, so no lookup is
    /// needed to write. `seen_N` has the hashes of the events of the UTC day N, `seen_0` those with a corrected time.
    enum EventSchema {
        static let version: Int64 = 1
        static let eventTables = ["exposures", "conversions"]

        /// The version of the tables in a file; 0 if it has none.
        ///
        /// - Throws: ``SQLiteError`` if it was written by a newer version.
        @discardableResult
        static func version(of connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
            let found = try connection.number("PRAGMA user_version")
            guard found <= version else { throw .newer(found, than: version, file: connection.path) }
            return found
        }

        static func prepare(_ connection: SQLiteConnection) throws(SQLiteError) {
            guard try version(of: connection) != version else { return }
            try connection.run("BEGIN IMMEDIATE; " + tables + "PRAGMA user_version = \(version); COMMIT")
        }

        private static let tables = """
            CREATE TABLE state(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE sources(id INTEGER PRIMARY KEY, project TEXT, account TEXT, revision TEXT, client TEXT,
                version TEXT);
            CREATE TABLE arms(id INTEGER PRIMARY KEY, project TEXT, campaign TEXT, experiment TEXT, variation TEXT,
                flag_key TEXT, rule_key TEXT, rule_type TEXT, variation_key TEXT, enabled INTEGER);
            CREATE TABLE goals(id INTEGER PRIMARY KEY, project TEXT, event TEXT, event_key TEXT);
            CREATE TABLE visitors(id INTEGER PRIMARY KEY, project TEXT, visitor TEXT, first INTEGER, last INTEGER);
            CREATE TABLE attributes(id INTEGER PRIMARY KEY, content TEXT, last INTEGER);
            CREATE TABLE exposures(id INTEGER PRIMARY KEY, visitor INTEGER, arm INTEGER, source INTEGER,
                attributes INTEGER, timestamp INTEGER, received INTEGER, corrections INTEGER, uuid BLOB);
            CREATE INDEX exposures_by_arm ON exposures(arm, timestamp);
            CREATE TABLE conversions(id INTEGER PRIMARY KEY, visitor INTEGER, goal INTEGER, source INTEGER,
                attributes INTEGER, timestamp INTEGER, received INTEGER, corrections INTEGER, uuid BLOB,
                revenue INTEGER, value REAL, tags TEXT);
            CREATE INDEX conversions_by_goal ON conversions(goal, timestamp);
            CREATE TABLE rejected(id INTEGER PRIMARY KEY, received INTEGER, place INTEGER, project TEXT, reason TEXT,
                content BLOB);
            CREATE TABLE quarantine(place INTEGER PRIMARY KEY, received INTEGER, project TEXT, body BLOB);
            CREATE TABLE seen_0(id INTEGER PRIMARY KEY, received INTEGER);

            """
    }
#endif
