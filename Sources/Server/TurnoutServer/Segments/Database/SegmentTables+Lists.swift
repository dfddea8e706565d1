import TurnoutClient
import TurnoutSQLite

extension SegmentTables {
    func segments(of ids: [String]) throws -> Set<ByteKey> {
        var segments: Set<ByteKey> = []
        for id in ids {
            let sql = "SELECT name FROM members JOIN lists ON lists.id = list WHERE user = ?"
            segments.formUnion(try connection.rows(sql, id) { ByteKey($0.text(0)) })
        }
        return segments
    }

    func lists() throws -> [SegmentList] {
        try connection.rows("SELECT name, count FROM lists ORDER BY name") {
            SegmentList(name: $0.text(0), count: Int($0.int(1)))
        }
    }

    func users(of segment: String, after last: String, limit: Int) throws -> [String]? {
        guard let list = try id(of: segment) else { return nil }
        return try connection.rows(
            "SELECT user FROM members WHERE user > ?1 AND list = ?2 ORDER BY user LIMIT ?3", last, list, Int64(limit)
        ) { $0.text(0) }
    }

    func change(_ segment: String, _ change: SegmentChange, maximumLists: Int) throws -> SegmentChange.Counts {
        var counts = SegmentChange.Counts()
        let found = try id(of: segment)
        if found == nil, case .remove = change { return counts }
        let list = try found ?? create(segment, maximumLists)
        switch change {
        case .add(let users): counts.added = try add(users, to: list)
        case .remove(let users):
            for user in users {
                let sql = "DELETE FROM members WHERE user = ? AND list = ?"
                counts.removed += recordDeletion(of: try connection.run(sql, user, list))
            }
        case .replace(let users): counts = try replace(users, of: list)
        }
        try connection.run(
            "UPDATE lists SET count = count + ? WHERE id = ?", Int64(counts.added - counts.removed), list)
        return counts
    }

    private func add(_ users: [String], to list: Int64) throws -> Int {
        try users.reduce(0) {
            try $0 + connection.run("INSERT OR IGNORE INTO members(user, list) VALUES(?, ?)", $1, list)
        }
    }

    /// Users who stay are not written, so the cost of an upload is that of its differences.
    private func replace(_ users: [String], of list: Int64) throws -> SegmentChange.Counts {
        try connection.run("CREATE TEMP TABLE IF NOT EXISTS wanted(user TEXT PRIMARY KEY) WITHOUT ROWID")
        try connection.run("DELETE FROM wanted")
        for user in users { try connection.run("INSERT OR IGNORE INTO wanted(user) VALUES(?)", user) }
        var counts = SegmentChange.Counts()
        let removal = "DELETE FROM members WHERE list = ? AND user NOT IN (SELECT user FROM wanted)"
        counts.removed = recordDeletion(of: try connection.run(removal, list))
        let addition = "INSERT OR IGNORE INTO members(list, user) SELECT ?, user FROM wanted"
        counts.added = try connection.run(addition, list)
        try connection.run("DELETE FROM wanted")
        return counts
    }

    func removeList(_ segment: String) throws -> Bool {
        guard let list = try id(of: segment) else { return false }
        recordDeletion(of: try connection.run("DELETE FROM members WHERE list = ?", list))
        try connection.run("DELETE FROM lists WHERE id = ?", list)
        return true
    }

    private func id(of segment: String) throws -> Int64? {
        try connection.first("SELECT id FROM lists WHERE name = ?", segment) { $0.int(0) }
    }

    func forgetMembers(_ ids: [String]) throws -> Bool {
        var found = 0
        for id in ids {
            try connection.run(
                "UPDATE lists SET count = count - 1 WHERE id IN (SELECT list FROM members WHERE user = ?)", id)
            found += recordDeletion(of: try connection.run("DELETE FROM members WHERE user = ?", id))
        }
        return found > 0
    }

    private func create(_ segment: String, _ maximum: Int) throws -> Int64 {
        guard try connection.number("SELECT count(*) FROM lists") < maximum else {
            throw SegmentLimitError.lists(maximum)
        }
        let list = try connection.number("SELECT max(id) FROM lists") + 1
        try connection.run("INSERT INTO lists(name, id, count) VALUES(?, ?, 0)", segment, list)
        return list
    }

    // MARK: Sizes

    func counts() throws -> SegmentCounts {
        var counts = SegmentCounts()
        counts.lists = Int(try connection.number("SELECT count(*) FROM lists"))
        counts.members = try memberCount()
        return counts
    }

    /// The number of users in all lists.
    func memberCount() throws -> Int { Int(try connection.number("SELECT sum(count) FROM lists")) }
}
