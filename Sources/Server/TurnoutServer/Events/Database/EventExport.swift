import TurnoutSQLite

/// Reads processed events from the file of a server, while the server writes.
package struct EventExport {
    package struct Selection: Sendable {
        /// The kinds of events. Default: all.
        package var kinds = ExportedEvent.Kind.allCases
        /// The first time, in milliseconds since 1970. Default: nil, the oldest event.
        package var start: Int64?
        /// The time after the last one, in milliseconds since 1970. Default: nil, the newest event.
        package var end: Int64?

        /// Creates a selection of everything.
        package init() {}
    }

    private let connection: SQLiteConnection
    /// Each page is a short transaction: a long one would keep the server's log of the database from being emptied.
    private static let pageSize: Int64 = 2_000

    /// Opens the file in a server's folder.
    ///
    /// - Throws: `SQLiteError` if there is none, or it cannot be read.
    package init(directory: String) throws {
        connection = try EventDatabaseFile(directory: directory).read()
    }

    /// Calls a function with each event, in the order of processing; first exposures, then conversions.
    package func forEach(_ selection: Selection, _ body: (ExportedEvent) throws -> Void) throws {
        for kind in selection.kinds {
            var last: Int64 = 0
            while true {
                let page = try page(kind, after: last, selection)
                for event in page.events { try body(event) }
                guard let next = page.last else { break }
                last = next
            }
        }
    }

    private func page(
        _ kind: ExportedEvent.Kind, after last: Int64, _ selection: Selection
    ) throws -> (events: [ExportedEvent], last: Int64?) {
        let statement = try connection.statement(
            kind == .exposure ? Self.exposures(in: "exposures") : Self.conversions)
        statement.bind(1, last)
        statement.bind(2, selection.start ?? .min)
        statement.bind(3, selection.end ?? .max)
        statement.bind(4, Self.pageSize)
        defer { statement.reset() }
        var events: [ExportedEvent] = []
        var next: Int64?
        while try statement.step() {
            next = statement.int(0)
            events.append(Self.event(kind, statement))
        }
        return (events, next)
    }

    private static func event(_ kind: ExportedEvent.Kind, _ row: Statement) -> ExportedEvent {
        let timestamp = row.int(1)
        let isExposure = kind == .exposure
        func text(_ column: Int32) -> ExportedEvent.Value { .text(row.optionalText(column)) }
        func texts(_ columns: ClosedRange<Int32>, when isPresent: Bool) -> [ExportedEvent.Value] {
            columns.map { isPresent ? text($0) : .text(nil) }
        }
        var values: [ExportedEvent.Value] = [
            .text(kind.rawValue), .text(Timestamp.text(timestamp)), .integer(timestamp), .integer(row.int(2)),
            text(3), text(4), text(5),
        ]
        values += texts(12...18, when: isExposure)
        values.append(.bool(isExposure && !row.isNull(19) ? row.int(19) != 0 : nil))
        values += texts(12...13, when: !isExposure)
        values.append(.integer(isExposure || row.isNull(14) ? nil : row.int(14)))
        values.append(.number(isExposure || row.isNull(15) ? nil : row.double(15)))
        values.append(.json(isExposure ? nil : row.optionalText(16)))
        values += [.json(row.optionalText(6)), text(7), text(8), text(9), text(10)]
        values.append(.bool(row.int(11) & EventCorrections.timestamp.rawValue != 0))
        return ExportedEvent(values: values)
    }

    /// The id as the client wrote it.
    private static let uuid = """
        CASE WHEN typeof(e.uuid) <> 'blob' THEN e.uuid
            WHEN e.corrections & \(EventCorrections.lowercaseUUID.rawValue) THEN lower(\(hexadecimalUUID))
            ELSE \(hexadecimalUUID) END
        """
    private static let hexadecimalUUID = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { start, count in
        "substr(hex(e.uuid), \(start), \(count))"
    }.joined(separator: " || '-' || ")

    private static let common = """
        e.id, e.timestamp, e.received, s.project, v.visitor, \(uuid), a.content, s.account, s.revision, s.client,
        s.version, e.corrections
        """
    private static let joins = """
        LEFT JOIN sources s ON s.id = e.source LEFT JOIN visitors v ON v.id = e.visitor
        LEFT JOIN attributes a ON a.id = e.attributes
        """
    private static let range = "WHERE e.id > ?1 AND e.timestamp >= ?2 AND e.timestamp < ?3 ORDER BY e.id LIMIT ?4"

    /// The exposures in a table after a number, at and before times, up to a number of them.
    static func exposures(in table: String) -> String {
        """
        SELECT \(common), r.campaign, r.experiment, r.variation, r.flag_key, r.rule_key, r.rule_type,
            r.variation_key, r.enabled
        FROM \(table) e LEFT JOIN arms r ON r.id = e.arm \(joins) \(range)
        """
    }

    /// The same for conversions.
    static let conversions = """
        SELECT \(common), g.event, g.event_key, e.revenue, e.value, e.tags
        FROM conversions e LEFT JOIN goals g ON g.id = e.goal \(joins) \(range)
        """
}
