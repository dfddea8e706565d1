import TurnoutSQLite

/// The tables of processed events.
///
/// Texts that many rows share are stored once; the number of such a row is a hash of the texts, so no lookup is
/// needed to write. `seen_N` has the hashes of the events of the UTC day N, `seen_0` those with a corrected time.
enum EventSchema {
    /// The tables of each version, or what it changed in those of the version before. Not edited once released.
    private static let versions = [first, second, third]
    static let version = Int64(versions.count)
    static let eventTables = ["exposures", "conversions"]
    /// The tables whose rows belong to a visitor, and may name attributes.
    static let visitorTables = eventTables + ["first_exposures"]

    /// The version of the tables in a file; 0 if it has none.
    ///
    /// - Throws: ``SQLiteError`` if it was written by a newer version.
    @discardableResult
    static func version(of connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
        let found = try connection.number("PRAGMA user_version")
        guard found <= version else { throw .newer(found, than: version, file: connection.path) }
        return found
    }

    /// Creates the tables, or changes those of an earlier version, in one transaction. An error leaves the file as
    /// it was.
    static func prepare(_ connection: SQLiteConnection) throws(SQLiteError) {
        let found = try version(of: connection)
        guard found != version else { return }
        try connection.run("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            // Another process may have been faster.
            let changes = versions.dropFirst(Int(try version(of: connection))).joined()
            try connection.run(changes + "PRAGMA user_version = \(version); COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            // The file is not damaged, so its events must not be set aside.
            throw found > 0 && error.code == 1 ? .notUpgraded(error, to: version) : error
        }
    }

    private static let first = """
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

    /// What results need: `claimed` is the client's time if it was corrected, `first_exposures` keeps those of
    /// running experiments beyond retention, and `forced` has the visitors whose variation was forced.
    private static let second = """
        ALTER TABLE exposures ADD COLUMN claimed INTEGER;
        ALTER TABLE conversions ADD COLUMN claimed INTEGER;
        CREATE TABLE experiments(number INTEGER PRIMARY KEY, id TEXT, project TEXT, environment TEXT, key TEXT,
            flag TEXT, variations TEXT, metrics TEXT, planned INTEGER, UNIQUE(project, id));
        CREATE TABLE exclusions(content TEXT);
        CREATE TABLE periods(experiment INTEGER, since INTEGER, revision TEXT, status TEXT, traffic INTEGER,
            weights TEXT, allow_list TEXT, kind TEXT, PRIMARY KEY(experiment, since)) WITHOUT ROWID;
        CREATE TABLE first_exposures(id INTEGER PRIMARY KEY, arm INTEGER, visitor INTEGER, timestamp INTEGER,
            source INTEGER, attributes INTEGER, UNIQUE(arm, visitor));
        CREATE INDEX first_exposures_by_attributes ON first_exposures(attributes);
        CREATE TABLE forced(id INTEGER PRIMARY KEY, last INTEGER);

        """

    /// The results of stopped experiments that no longer change, as JSON.
    private static let third = """
        CREATE TABLE final_results(project TEXT, experiment TEXT, computed INTEGER, content TEXT,
            PRIMARY KEY(project, experiment)) WITHOUT ROWID;

        """
}
