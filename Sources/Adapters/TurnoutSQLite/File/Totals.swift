/// The stored number and size of rows, which makes counting unnecessary.
struct Totals: Sendable, Equatable {
    let id: Int64
    let name: String
    var count: Int64 = 0
    var bytes: Int64 = 0
    /// The next number to assign.
    var next: Int64 = 1

    var checksum: Int64 {
        var sum = Checksum()
        for number in [id, count, bytes, next] { sum.add(number) }
        sum.add(name)
        return sum.value
    }

    /// The name of the row for users; other rows have the name of a queue.
    static let users = "users"
}

extension SQLiteSession {
    /// The totals for a name, or nil if there are none yet.
    ///
    /// - Throws: ``SQLiteError``, including if the checksum is wrong, which means damage.
    func existingTotals(_ name: String) throws(SQLiteError) -> Totals? {
        let sql = "SELECT id, count, bytes, next, checksum FROM totals WHERE name = ?"
        let found = try connection.first(sql, name) { row in
            (Totals(id: row.int(0), name: name, count: row.int(1), bytes: row.int(2), next: row.int(3)), row.int(4))
        }
        guard let (totals, checksum) = found else { return nil }
        guard totals.checksum == checksum else {
            throw .damage("the totals of \(name) are damaged", file: connection.path)
        }
        return totals
    }

    /// The totals for a name. Adds a row with zeros if there is none. Must be called in a transaction.
    func totals(_ name: String) throws(SQLiteError) -> Totals {
        if let totals = try existingTotals(name) { return totals }
        let id = try connection.number("SELECT coalesce(max(id), 0) + 1 FROM totals")
        let totals = Totals(id: id, name: name)
        try insert(totals)
        return totals
    }

    func save(_ totals: Totals) throws(SQLiteError) {
        try connection.run(
            "UPDATE totals SET count = ?2, bytes = ?3, next = ?4, checksum = ?5 WHERE id = ?1", totals.id,
            totals.count, totals.bytes, totals.next, totals.checksum)
    }

    func insert(_ totals: Totals) throws(SQLiteError) {
        try connection.run(
            "INSERT INTO totals(id, name, count, bytes, next, checksum) VALUES(?, ?, ?, ?, ?, ?)", totals.id,
            totals.name, totals.count, totals.bytes, totals.next, totals.checksum)
    }
}
