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
        let statement = try connection.statement("SELECT id, count, bytes, next, checksum FROM totals WHERE name = ?")
        statement.bind(1, name)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        let totals = Totals(
            id: statement.int(0), name: name, count: statement.int(1), bytes: statement.int(2),
            next: statement.int(3))
        guard totals.checksum == statement.int(4) else {
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
        let statement = try connection.statement(
            "UPDATE totals SET count = ?2, bytes = ?3, next = ?4, checksum = ?5 WHERE id = ?1")
        statement.bind(1, totals.id)
        statement.bind(2, totals.count)
        statement.bind(3, totals.bytes)
        statement.bind(4, totals.next)
        statement.bind(5, totals.checksum)
        try statement.run()
    }

    func insert(_ totals: Totals) throws(SQLiteError) {
        let statement = try connection.statement(
            "INSERT INTO totals(id, name, count, bytes, next, checksum) VALUES(?, ?, ?, ?, ?, ?)")
        statement.bind(1, totals.id)
        statement.bind(2, totals.name)
        statement.bind(3, totals.count)
        statement.bind(4, totals.bytes)
        statement.bind(5, totals.next)
        statement.bind(6, totals.checksum)
        try statement.run()
    }
}
