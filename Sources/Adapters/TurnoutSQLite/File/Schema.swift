/// The tables, and the migrations from earlier versions.
package enum Schema {
    /// The application id of Turnout's files, "TRNT": files of other programs are refused.
    package static let application: Int64 = 0x5452_4E54

    /// The migration from each version to the next. Released steps never change.
    package static let steps = [events, profiles]

    package static var version: Int64 { Int64(steps.count) }

    /// An event's id is its queue's id shifted left by 48 bits, plus its number in the queue, so each queue is a
    /// range of one table. Numbers come from `totals`, which costs less per row than `AUTOINCREMENT`.
    private static let events = """
        CREATE TABLE totals(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, count INTEGER NOT NULL,
            bytes INTEGER NOT NULL, next INTEGER NOT NULL, checksum INTEGER NOT NULL);
        CREATE TABLE groups(id INTEGER PRIMARY KEY AUTOINCREMENT, region TEXT NOT NULL, envelope TEXT NOT NULL,
            closing TEXT NOT NULL, address TEXT, key TEXT, checksum INTEGER NOT NULL);
        CREATE INDEX groups_by_checksum ON groups(checksum);
        CREATE TABLE events(id INTEGER PRIMARY KEY, "group" INTEGER NOT NULL, timestamp INTEGER,
            checksum INTEGER NOT NULL, visitor BLOB NOT NULL);
        CREATE TABLE rejected(number INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL,
            damaged INTEGER NOT NULL, "group" INTEGER, timestamp INTEGER, visitor BLOB);
        CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE datafiles(key TEXT PRIMARY KEY, body BLOB NOT NULL, modified TEXT, tag TEXT,
            checksum INTEGER NOT NULL);
        """

    private static let profiles = """
        CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, used INTEGER NOT NULL);
        CREATE INDEX users_by_use ON users(used);
        CREATE TABLE assignments(user INTEGER NOT NULL, experiment TEXT NOT NULL, variation TEXT NOT NULL,
            PRIMARY KEY(user, experiment)) WITHOUT ROWID;
        """

    /// Migrates a file to this version, in one transaction.
    ///
    /// - Throws: ``SQLiteError`` if it was written by a newer version or another program; then nothing is changed.
    static func prepare(_ connection: SQLiteConnection) throws(SQLiteError) {
        if try isCurrent(connection) { return }
        try connection.run("BEGIN IMMEDIATE")
        do {
            // Checked again: another process may have migrated it.
            if try !isCurrent(connection) {
                for step in steps[Int(try connection.number("PRAGMA user_version"))...] { try connection.run(step) }
                try connection.run("PRAGMA user_version = \(version); PRAGMA application_id = \(application)")
            }
            try connection.run("COMMIT")
        } catch {
            try? connection.run("ROLLBACK")
            throw error
        }
    }

    private static func isCurrent(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        let found = try connection.number("PRAGMA user_version")
        let owner = try connection.number("PRAGMA application_id")
        if owner == application, found == version { return true }
        func refuse(_ message: String) -> SQLiteError {
            SQLiteError(code: SQLiteError.foreign, message: message, file: connection.path)
        }
        let tables = try connection.number("SELECT count(*) FROM sqlite_schema WHERE name IN ('totals', 'events')")
        if tables == 2, owner != application || found > 1_000 || found < 1 {
            throw .damage("the file's header is damaged", file: connection.path)
        }
        if owner == application, found > version {
            throw .newer(found, than: version, file: connection.path)
        }
        let isEmpty = try connection.number("SELECT count(*) FROM sqlite_schema") == 0
        guard isEmpty ? found == 0 : owner == application && found > 0 else {
            throw refuse("a SQLite file of another program")
        }
        return false
    }
}
