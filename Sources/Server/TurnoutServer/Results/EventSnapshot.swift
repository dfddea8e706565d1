import TurnoutSQLite

/// One state of the events, from which the distributions of several experiments are read. They share what is costly
/// to read again for each of them.
final class EventSnapshot {
    struct Conversion {
        var visitor: Int64
        var time: Int64
        var isCorrected: Bool
        var revenue: Int64
        var value: Double
    }

    let connection: SQLiteConnection
    /// Has the events; nil if the file has.
    let engine: (any EventEngine)?
    private let isCancelled: () -> Bool
    /// How many more conversions to keep in memory.
    private var room: Int
    private var conversions: [ConversionSelection: (start: Int64, rows: [Conversion])] = [:]
    private var attributes: AttributeMarks?

    /// Takes the present state, through a connection that nothing else uses.
    init(
        _ connection: SQLiteConnection, _ engine: (any EventEngine)? = nil, room: Int,
        isCancelled: @escaping () -> Bool
    ) throws {
        (self.connection, self.engine, self.room, self.isCancelled) = (connection, engine, room, isCancelled)
        try connection.run("BEGIN")
    }

    /// Steps through rows.
    func forEach(_ sql: String, _ body: (Statement) throws -> Void) throws {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        var count = 0
        while try statement.step() {
            count += 1
            if count & 0xFFF == 0, isCancelled() { throw CancellationError() }
            try body(statement)
        }
    }

    /// The conversions of a selection, and perhaps earlier ones.
    func forEachConversion(in selection: ConversionSelection, _ body: (Conversion) throws -> Void) throws {
        let event = ConversionSelection(projectID: selection.projectID, eventKey: selection.eventKey)
        if let known = conversions[event], known.start <= selection.start { return try known.rows.forEach(body) }
        room += conversions.removeValue(forKey: event)?.rows.count ?? 0
        var (rows, count): ([Conversion], Int) = ([], 0)
        try readConversions(in: selection) { conversion in
            count += 1
            if count <= room { rows.append(conversion) }
            try body(conversion)
        }
        guard count <= room else { return }
        // The order of tables of visitors, so that neighbors are looked up one after the other.
        rows.sort { $0.visitor < $1.visitor }
        room -= rows.count
        conversions[event] = (selection.start, rows)
    }

    private func readConversions(
        in selection: ConversionSelection, _ body: (Conversion) throws -> Void
    ) throws {
        if let engine {
            let found = try engine.rows(of: .conversions(selection))
            for row in 0..<found.count { try body(Conversion(found, row)) }
            return
        }
        for goal in try EventDatabase.goals(of: selection, connection) {
            let query = """
                SELECT visitor, timestamp, corrections & \(EventCorrections.timestamp.rawValue), revenue, value
                FROM conversions WHERE goal = \(goal) AND timestamp >= \(selection.start)
                """
            try forEach(query) { row in
                try body(
                    Conversion(
                        visitor: row.int(0), time: row.int(1), isCorrected: row.int(2) != 0, revenue: row.int(3),
                        value: row.double(4)))
            }
        }
    }

    /// Marks visitors by their lists of attributes.
    func mark(
        _ lists: inout [(list: Int64, visitor: Int64)], _ exclusions: [ResultExclusion],
        in table: inout VisitorTable
    ) throws {
        if attributes?.exclusions != exclusions { attributes = AttributeMarks(exclusions) }
        // Neighbors in the table share its pages.
        lists.sort { $0.list < $1.list }
        for (list, visitor) in lists {
            if let marks = try attributes?.marks(of: list, connection), !marks.isEmpty {
                table.mark(visitor, marks)
            }
        }
        lists.removeAll(keepingCapacity: true)
    }
}

extension EventSnapshot.Conversion {
    fileprivate init(_ found: EngineResult, _ row: Int) {
        (visitor, time, isCorrected) = (found.integer(0, row), found.integer(1, row), found.integer(2, row) != 0)
        (revenue, value) = (found.integer(3, row), found.double(4, row))
    }
}
