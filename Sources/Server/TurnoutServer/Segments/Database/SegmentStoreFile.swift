/// The files of the data platform, and their tables.
enum SegmentStoreFile {
    case lists
    case devices

    /// The name in the folder.
    var name: String {
        switch self {
        case .lists: "segments.sqlite"
        case .devices: "devices.sqlite"
        }
    }

    /// The content of the file, for messages.
    var content: String {
        switch self {
        case .lists: "lists of users"
        case .devices: "devices"
        }
    }

    /// The names of the tables, as a list in SQL.
    var names: String {
        switch self {
        case .lists: "'lists', 'members'"
        case .devices: "'devices', 'totals'"
        }
    }

    var count: Int64 { 2 }

    /// The version of the tables.
    var version: Int64 {
        switch self {
        case .lists: 3
        case .devices: 1
        }
    }

    /// Changes the tables of an earlier version to those of the next one.
    func upgrade(from version: Int64) -> String? {
        switch (self, version) {
        // Version 2 had uploads in parts, whose users were members of lists without names.
        case (.lists, 1...2):
            """
            DROP TABLE IF EXISTS uploads;
            DELETE FROM members WHERE list NOT IN (SELECT id FROM lists);

            """
        default: nil
        }
    }

    var tables: String {
        switch self {
        case .lists:
            """
            CREATE TABLE lists(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, count INTEGER NOT NULL);
            CREATE TABLE members(list INTEGER NOT NULL, user TEXT NOT NULL, PRIMARY KEY(list, user)) WITHOUT ROWID;
            CREATE INDEX members_by_user ON members(user);

            """
        case .devices:
            """
            CREATE TABLE devices(device TEXT PRIMARY KEY, user TEXT NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;
            CREATE INDEX devices_by_user ON devices(user, last);
            CREATE INDEX devices_by_time ON devices(last);
            CREATE TABLE totals(name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
            INSERT INTO totals VALUES('devices', 0);

            """
        }
    }
}
