#if PostgreSQL
    /// The tables and views in PostgreSQL.
    enum PostgreSQLSchema {
        private static let batch = "turnout_batch"

        static var statements: [String] {
            [
                "CREATE TABLE IF NOT EXISTS \(EngineTable.name) (\n\(columns),\n    PRIMARY KEY (event)\n)",
                // With everything that results read, so that they read the index alone.
                """
                CREATE INDEX IF NOT EXISTS turnout_events_subject ON \(EngineTable.name)
                    (project, kind, subject, visitor, occurred)
                    INCLUDE (variation, client, client_version, flags, revenue, has_revenue, value, has_value)
                """,
                "CREATE INDEX IF NOT EXISTS turnout_events_forced ON \(EngineTable.name) (project, visitor) "
                    + "WHERE \(isForced)",
                "CREATE INDEX IF NOT EXISTS turnout_events_received ON \(EngineTable.name) USING brin (received)",
                "CREATE TABLE IF NOT EXISTS turnout_schema (version bigint PRIMARY KEY, applied timestamptz NOT NULL)",
                view(
                    "exposures", of: .exposure, subject: "experiment_id",
                    "variation AS variation_id, flag_key, rule_key, variation_key"),
                view(
                    "conversions", of: .conversion, subject: "event_key",
                    "CASE WHEN has_revenue = 1 THEN revenue END AS revenue, "
                        + "CASE WHEN has_value = 1 THEN value END AS value"),
                // Fails if there was a table without one of the columns: then the version is another one.
                "SELECT \(names) FROM \(EngineTable.name) LIMIT 0",
                "INSERT INTO turnout_schema VALUES (\(EngineTable.version), now()) ON CONFLICT DO NOTHING",
            ]
        }

        /// Whether the variation of a row's visitor was forced, as the index has it.
        static let isForced = "(flags & \(EngineRow.Notes.forced.rawValue)) <> 0"

        /// Adds rows, in the order of their keys: otherwise two servers that write the same events could wait for each
        /// other.
        static let insertion = """
            CREATE TEMPORARY TABLE IF NOT EXISTS \(batch) (\(columns)) ON COMMIT DELETE ROWS;
            COPY \(batch) (\(names)) FROM STDIN (FORMAT binary);
            INSERT INTO \(EngineTable.name) (\(names)) SELECT \(names) FROM \(batch) ORDER BY event
            ON CONFLICT (event) DO NOTHING
            """

        private static let names = EngineTable.columns.map(\.name).joined(separator: ", ")

        private static var columns: String {
            EngineTable.columns.map { "    \($0.name) \($0.content.postgreSQLType) NOT NULL" }.joined(separator: ",\n")
        }

        private static func view(_ name: String, of kind: EngineRow.Kind, subject: String, _ columns: String) -> String
        {
            """
            CREATE OR REPLACE VIEW turnout_\(name) AS
            SELECT project AS project_id, subject AS \(subject), visitor_id AS user_id,
                to_timestamp(occurred / 1000.0) AS timestamp, occurred AS timestamp_ms, \(columns), event
            FROM \(EngineTable.name) WHERE kind = \(kind.rawValue)
            """
        }

        /// A text as a literal.
        static func literal(_ text: String) -> String { "'" + valid(text).replacing("'", with: "''") + "'" }

        /// A text without NUL, which PostgreSQL refuses.
        static func valid(_ text: String) -> String {
            text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
        }
    }

    extension EngineTable.Column.Content {
        /// The type of the column in PostgreSQL. Texts are compared by their bytes, whatever the language of the
        /// database; JSON is a text, because `jsonb` refuses `\u0000`.
        fileprivate var postgreSQLType: String {
            switch self {
            case .text, .node: #"text COLLATE "C""#
            case .byte: "smallint"
            case .integer, .hash: "bigint"
            case .double: "double precision"
            }
        }
    }
#endif
