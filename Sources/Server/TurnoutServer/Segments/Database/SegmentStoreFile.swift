/// The files of the data platform, and their tables.
struct SegmentStoreFile: Sendable {
    /// The name in the folder.
    let name: String
    /// The content of the file, for messages.
    let content: String
    /// The names of the tables, as a list in SQL.
    let names: String
    let tables: String
    /// The version of the tables.
    let version: Int64
    /// Changes the tables of any earlier version to those of this one.
    let upgrade: String

    static let lists = SegmentStoreFile(
        name: "segments.sqlite", content: "lists of users", names: "'lists', 'members'",
        tables: """
            CREATE TABLE lists(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, count INTEGER NOT NULL);
            CREATE TABLE members(list INTEGER NOT NULL, user TEXT NOT NULL, PRIMARY KEY(list, user)) WITHOUT ROWID;
            CREATE INDEX members_by_user ON members(user);

            """,
        version: 3,
        // Version 2 had uploads in parts, whose users were members of lists without names.
        upgrade: """
            DROP TABLE IF EXISTS uploads;
            DELETE FROM members WHERE list NOT IN (SELECT id FROM lists);

            """)

    static let devices = SegmentStoreFile(
        name: "devices.sqlite", content: "devices", names: "'devices', 'totals'",
        tables: """
            CREATE TABLE devices(device TEXT PRIMARY KEY, user TEXT NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;
            CREATE INDEX devices_by_user ON devices(user, last);
            CREATE INDEX devices_by_time ON devices(last);
            CREATE TABLE totals(name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
            INSERT INTO totals VALUES('devices', 0);

            """,
        version: 1, upgrade: "")
}
