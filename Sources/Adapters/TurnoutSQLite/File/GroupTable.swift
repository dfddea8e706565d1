import TurnoutClient

/// A cache of the table of groups: rows that many events share.
struct GroupTable {
    typealias Group = OutgoingEvent.Group
    /// The name of the queue of impressions and conversions.
    static let standardQueue = "events"

    var ids: [Group: Int64] = [:]
    var groups: [Int64: Group] = [:]
    /// The group that was looked up last; nearly all events have it.
    var last: (group: Group, id: Int64)?
    /// The file's version when the ids were looked up. Other connections may remove groups without events.
    var version: Int64 = -1
    /// The number of groups after the last removal of unused ones.
    var usedCount: Int64 = 0
}

extension SQLiteSession {
    typealias Group = OutgoingEvent.Group

    /// Forgets ids that other connections may have removed. Must be called at the start of a transaction that adds
    /// events.
    func checkGroups() throws(SQLiteError) {
        let version = try connection.number("PRAGMA data_version")
        if version != groups.version {
            groups.ids = [:]
            groups.last = nil
            groups.version = version
        }
    }

    /// The id of a group. Adds the group if it is new.
    func id(of group: Group) throws(SQLiteError) -> Int64 {
        if let last = groups.last, last.group == group { return last.id }
        var known = groups.ids[group]
        if known == nil { known = try find(group) }
        let id = if let known { known } else { try add(group) }
        groups.ids[group] = id
        groups.last = (group, id)
        return id
    }

    private func find(_ group: Group) throws(SQLiteError) -> Int64? {
        let sql = "SELECT id FROM groups WHERE checksum = ?"
        let ids = try connection.rows(sql, Self.checksum(of: group)) { $0.int(0) }
        for id in ids { if try self.group(id) == group { return id } }
        return nil
    }

    private func add(_ group: Group) throws(SQLiteError) -> Int64 {
        try removeUnusedGroups()
        try connection.run(
            "INSERT INTO groups(region, envelope, closing, address, key, checksum) VALUES(?, ?, ?, ?, ?, ?)",
            group.region.rawValue, group.envelope, group.closing, group.address, group.key, Self.checksum(of: group))
        return try connection.number("SELECT last_insert_rowid()")
    }

    /// Each datafile has its own groups. Finding those without events scans all events, so it is done when the
    /// number of groups has doubled.
    private func removeUnusedGroups() throws(SQLiteError) {
        guard try connection.number("SELECT count(*) FROM groups") > 2 * groups.usedCount + 32 else { return }
        try connection.run(
            """
            DELETE FROM groups WHERE id NOT IN (SELECT "group" FROM events)
                AND id NOT IN (SELECT "group" FROM rejected WHERE "group" IS NOT NULL)
            """)
        groups.usedCount = try connection.number("SELECT count(*) FROM groups")
        groups.ids = [:]
    }

    /// A group, or nil if it is missing or damaged.
    func group(_ id: Int64) throws(SQLiteError) -> Group? {
        if let group = groups.groups[id] { return group }
        let sql = "SELECT id, region, envelope, closing, address, key, checksum FROM groups WHERE id = ?"
        guard let group = try connection.first(sql, id, read: Self.group) ?? nil else { return nil }
        // Bounded like the table, for long-running processes.
        if groups.groups.count >= 1_000 { groups.groups = [:] }
        groups.groups[id] = group
        return group
    }

    /// The group of a row, or nil if it is damaged.
    static func group(_ row: Statement) -> Group? {
        guard let region = Project.Region(rawValue: row.text(1)) else { return nil }
        let group = Group(
            region: region, envelope: row.text(2), closing: row.text(3), address: row.optionalText(4),
            key: row.optionalText(5))
        return checksum(of: group) == row.int(6) ? group : nil
    }

    static func checksum(of group: Group) -> Int64 {
        var sum = Checksum()
        for text in [group.region.rawValue, group.envelope, group.closing, group.address, group.key] {
            sum.add(text)
        }
        return sum.value
    }
}
