import TurnoutSQLite

/// Reads the outcomes of a rule from the file of processed events, while the server writes.
struct OutcomeReader {
    private let connection: SQLiteConnection

    /// Creates a reader with a connection to the file.
    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Calls a function with each outcome, sorted by visitor and time.
    ///
    /// - Complexity: O(n log n) in the number of the rule's exposures and the event's conversions. SQLite sorts
    ///   them in a temporary file if they do not fit in memory.
    func forEach(_ selection: RuleOutcomes, _ body: (RuleOutcome) -> Void) throws {
        let statement = try connection.statement(Self.query)
        defer { statement.reset() }
        statement.bind(1, selection.projectID)
        statement.bind(2, selection.ruleID)
        statement.bind(3, selection.eventKey)
        statement.bind(4, selection.start)
        while try statement.step() {
            body(RuleOutcome(visitor: statement.int(0), Self.kind(statement)))
        }
    }

    private static func kind(_ row: Statement) -> RuleOutcome.Kind {
        if let variationID = row.optionalText(3) { return .exposure(variationID: variationID) }
        return .conversion(
            revenue: row.isNull(4) ? nil : row.int(4), value: row.isNull(5) ? nil : row.double(5))
    }

    private static let query = """
        SELECT e.visitor, e.timestamp, 0, r.variation, NULL, NULL FROM arms r JOIN exposures e ON e.arm = r.id
        WHERE r.project = ?1 AND r.experiment = ?2 AND r.variation IS NOT NULL AND e.timestamp >= ?4
        UNION ALL
        SELECT e.visitor, e.timestamp, 1, NULL, e.revenue, e.value FROM goals g JOIN conversions e ON e.goal = g.id
        WHERE g.project = ?1 AND g.event_key = ?3 AND e.timestamp >= ?4
        ORDER BY 1, 2, 3
        """
}
