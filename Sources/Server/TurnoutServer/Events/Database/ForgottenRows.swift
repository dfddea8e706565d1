import TurnoutSQLite

/// The rows of some visitors, found while others write: there is no index by visitor, because it would make each
/// event slower to write.
struct ForgottenRows {
    /// The rows of a table.
    struct Found {
        /// The visitors' rows. SQLite may give the number of a deleted row to a new one; the visitor tells them
        /// apart.
        var rows: [(id: Int64, visitor: Int64)] = []
        /// The last row of the first pass.
        var last: Int64 = 0
    }

    /// The numbers of the visitors.
    private(set) var visitors: Set<Int64> = []
    private(set) var found: [String: Found] = [:]
    /// The lists of attributes that only they have.
    private(set) var attributes: Set<Int64> = []

    /// Finds the rows. Reads all events, those of some users twice.
    ///
    /// - Parameters:
    ///   - users: The ids of the visitors.
    ///   - connection: A connection to the file.
    /// - Throws: `SQLiteError` if it cannot be read.
    init(_ users: [String], _ connection: SQLiteConnection) throws {
        // Before the projects: those of all these rows are known then.
        for table in EventSchema.visitorTables {
            found[table] = Found(last: try Self.lastRow(of: table, connection))
        }
        visitors = try Self.visitors(users, connection)
        for (table, found) in found where found.last > 0 { try find(in: table, connection, 1...found.last) }
        guard !attributes.isEmpty else { return }
        for (table, found) in found where found.last > 0 {
            try keepAttributesOfOthers(in: table, connection, 1...found.last)
        }
    }

    private static func lastRow(of table: String, _ connection: SQLiteConnection) throws -> Int64 {
        let statement = try connection.statement("SELECT ifnull(max(id), 0) FROM \(table)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// The numbers of users in all projects that sent events.
    private static func visitors(_ users: [String], _ connection: SQLiteConnection) throws -> Set<Int64> {
        let statement = try connection.statement("SELECT DISTINCT project FROM sources")
        defer { statement.reset() }
        var numbers: Set<Int64> = []
        while try statement.step() {
            let project = statement.optionalText(0)
            for user in users { numbers.insert(EventHash.visitor(user, of: project)) }
        }
        return numbers
    }

    private mutating func find(
        in table: String, _ connection: SQLiteConnection, _ ids: ClosedRange<Int64>
    ) throws {
        try Self.forEachRow(of: table, connection, ids) { id, visitor, list in
            guard visitors.contains(visitor) else { return }
            found[table]?.rows.append((id, visitor))
            if let list { attributes.insert(list) }
        }
    }

    private mutating func keepAttributesOfOthers(
        in table: String, _ connection: SQLiteConnection, _ ids: ClosedRange<Int64>
    ) throws {
        try Self.forEachRow(of: table, connection, ids) { _, visitor, list in
            if let list, !visitors.contains(visitor) { attributes.remove(list) }
        }
    }

    private static func forEachRow(
        of table: String, _ connection: SQLiteConnection, _ ids: ClosedRange<Int64>,
        _ body: (_ id: Int64, _ visitor: Int64, _ attributes: Int64?) -> Void
    ) throws {
        let statement = try connection.statement(
            "SELECT id, visitor, attributes FROM \(table) WHERE id BETWEEN ? AND ?")
        statement.bind(1, ids.lowerBound)
        statement.bind(2, ids.upperBound)
        defer { statement.reset() }
        while try statement.step() {
            body(statement.int(0), statement.int(1), statement.isNull(2) ? nil : statement.int(2))
        }
    }

    /// Adds what was written since, also for projects that are new. For the connection that writes, in its
    /// transaction.
    mutating func update(_ users: [String], _ connection: SQLiteConnection) throws {
        visitors = try Self.visitors(users, connection)
        let earlier = attributes
        for (table, found) in found { try find(in: table, connection, found.last + 1 ... .max) }
        // Others may have had added ones before. All events are read again then, which is rare.
        let isAdded = attributes != earlier
        for (table, found) in found {
            try keepAttributesOfOthers(in: table, connection, isAdded ? 1 ... .max : found.last + 1 ... .max)
        }
    }
}
