/// The tables and views in ClickHouse. Old and new versions take the statements.
enum ClickHouseSchema {
    /// The statements for one of several servers, of which each has a part of the visitors.
    static func statements(part: Int, of parts: Int) -> [String] {
        let columns = EngineTable.columns.map { "    \($0.name) \($0.content.clickHouseType)" }
        return [
            """
            CREATE TABLE IF NOT EXISTS \(EngineTable.name) (
            \(columns.joined(separator: ",\n"))
            ) ENGINE = ReplacingMergeTree()
            PARTITION BY toYYYYMM(toDateTime(intDiv(occurred, 1000)))
            ORDER BY (project, kind, subject, visitor, event)
            """,
            "CREATE TABLE IF NOT EXISTS turnout_schema (version UInt32, applied DateTime) "
                + "ENGINE = ReplacingMergeTree() ORDER BY version",
            "CREATE TABLE IF NOT EXISTS turnout_part (part UInt32, parts UInt32) "
                + "ENGINE = ReplacingMergeTree() ORDER BY part",
            view("exposures", of: .exposure, subject: "experiment_id", exposureColumns),
            view("conversions", of: .conversion, subject: "event_key", conversionColumns),
            // Fails if there was a table without one of the columns: then the version is another one.
            "SELECT \(EngineTable.columns.map(\.name).joined(separator: ", ")) FROM \(EngineTable.name) LIMIT 0",
            "INSERT INTO turnout_part SELECT \(part) AS part, \(parts) AS parts FROM system.one "
                + "WHERE (SELECT count() FROM turnout_part) = 0",
            "INSERT INTO turnout_schema SELECT \(EngineTable.version) AS version, now() AS applied",
        ]
    }

    private static let exposureColumns: KeyValuePairs = [
        "variation_id": "any(variation)", "flag_key": "any(flag_key)", "rule_key": "any(rule_key)",
        "variation_key": "any(variation_key)",
    ]
    private static let conversionColumns: KeyValuePairs = [
        "revenue": "any(if(has_revenue = 1, revenue, NULL))", "value": "any(if(has_value = 1, value, NULL))",
    ]

    /// A view with the events of a kind, each once. Old versions need other names inside than outside.
    private static func view(
        _ name: String, of kind: EngineRow.Kind, subject: String, _ columns: KeyValuePairs<String, String>
    ) -> String {
        """
        CREATE VIEW IF NOT EXISTS turnout_\(name) AS
        SELECT project AS project_id, subject AS \(subject), first_id AS user_id,
            toDateTime(intDiv(first_time, 1000)) AS timestamp, first_time AS timestamp_ms,
            \(columns.map { "first_\($0.key) AS \($0.key)" }.joined(separator: ", ")), event
        FROM (
            SELECT project, subject, visitor, event, any(visitor_id) AS first_id, min(occurred) AS first_time,
                \(columns.map { "\($0.value) AS first_\($0.key)" }.joined(separator: ", "))
            FROM \(EngineTable.name) WHERE kind = \(kind.rawValue) GROUP BY project, subject, visitor, event
        ) AS events
        """
    }

    /// A text as a literal.
    static func literal(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
