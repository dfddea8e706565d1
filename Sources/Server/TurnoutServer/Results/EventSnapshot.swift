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
    private var conversions: [ConversionSelection: (start: Int64, rows: [Conversion], isSorted: Bool)] = [:]
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
        if var known = conversions[event], known.start <= selection.start {
            if !known.isSorted {
                conversions[event] = nil
                // The order of tables of visitors, so that neighbors are looked up one after the other.
                known.rows.sort { $0.visitor < $1.visitor }
                known.isSorted = true
                conversions[event] = known
            }
            return try known.rows.forEach(body)
        }
        room += conversions.removeValue(forKey: event)?.rows.count ?? 0
        var (rows, count): ([Conversion], Int) = ([], 0)
        try readConversions(in: selection) { conversion in
            count += 1
            if count <= room { rows.append(conversion) }
            try body(conversion)
        }
        guard count <= room else { return }
        room -= rows.count
        conversions[event] = (selection.start, rows, false)
    }

    private func readConversions(
        in selection: ConversionSelection, _ body: (Conversion) throws -> Void
    ) throws {
        if let engine {
            for block in try engine.rows(of: .conversions(selection)).blocks {
                let (visitors, times, corrected) = (block.integers(0), block.integers(1), block.integers(2))
                let (revenues, values) = (block.integers(3), block.doubles(4))
                for row in block.rows {
                    try body(
                        Conversion(
                            visitor: visitors[row], time: times[row], isCorrected: corrected[row] != 0,
                            revenue: revenues[row], value: values[row]))
                }
            }
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
