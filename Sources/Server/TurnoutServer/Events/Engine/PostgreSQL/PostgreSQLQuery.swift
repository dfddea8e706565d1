#if PostgreSQL
    /// The text of a query for PostgreSQL, and the types of its columns.
    struct PostgreSQLQuery {
        let text: String
        let columns: [PostgreSQLReader.Kind]

        private init(_ text: String, _ columns: PostgreSQLReader.Kind...) {
            (self.text, self.columns) = (text, columns)
        }

        init(_ query: EngineQuery) {
            self =
                switch query {
                case .exposures(let selection): Self.exposures(selection)
                case .attributes(let selection, let names): Self.attributes(selection, names)
                case .leftOut(let selection): Self.leftOut(selection)
                case .forced(let projectID): Self.forced(projectID)
                case .conversions(let selection): Self.conversions(selection)
                case .outcomes(let selection): Self.outcomes(selection)
                case .totals(let visitors, let selection): Self.totals(of: visitors, selection)
                case .progress: Self.progress
                }
        }

        /// The version of the tables.
        static let version = PostgreSQLQuery("SELECT coalesce(max(version), 0) FROM turnout_schema", .integer)

        // Differs after each transaction of the database.
        private static let progress = PostgreSQLQuery(
            "SELECT hashtextextended(pg_current_snapshot()::text, 0)", .integer)
        private static let isCorrected = "(flags & \(EngineRow.Notes.correctedTime.rawValue)) = 1"

        /// The rows of a kind.
        private static func rows(_ kind: EngineRow.Kind, _ project: String, _ subject: String) -> String {
            """
            FROM \(EngineTable.name) WHERE project = \(PostgreSQLSchema.literal(project)) AND kind = \(kind.rawValue)
            AND subject = \(PostgreSQLSchema.literal(subject))
            """
        }

        private static func exposures(_ selection: ExposureSelection) -> PostgreSQLQuery {
            PostgreSQLQuery(
                """
                SELECT visitor, variation, client, client_version, min(occurred) \(counted(selection))
                GROUP BY visitor, variation, client, client_version
                """, .integer, .text, .text, .text, .integer)
        }

        private static func attributes(_ selection: ExposureSelection, _ names: [String]) -> PostgreSQLQuery {
            // A name may be written with escapes.
            let found = (names + ["\\u"]).map { "strpos(attributes, \(PostgreSQLSchema.literal($0))) > 0" }
            return PostgreSQLQuery(
                "SELECT DISTINCT visitor, attributes \(counted(selection)) AND (\(found.joined(separator: " OR ")))",
                .integer, .text)
        }

        /// The exposures that count.
        private static func counted(_ selection: ExposureSelection) -> String {
            var text = """
                \(rows(.exposure, selection.projectID, selection.experimentID)) AND variation <> ''
                AND NOT \(isCorrected)
                """
            if let start = selection.start { text += " AND occurred >= \(start)" }
            if let end = selection.end { text += " AND occurred < \(end)" }
            return text
        }

        private static func leftOut(_ selection: ExposureSelection) -> PostgreSQLQuery {
            let early = selection.start.map { "occurred < \($0)" } ?? "false"
            let late = selection.end.map { "occurred >= \($0)" } ?? "false"
            return PostgreSQLQuery(
                """
                SELECT variation, count(*) FILTER (WHERE \(isCorrected)),
                    count(*) FILTER (WHERE NOT \(isCorrected) AND \(early)),
                    count(*) FILTER (WHERE NOT \(isCorrected) AND \(late))
                \(rows(.exposure, selection.projectID, selection.experimentID)) AND variation <> ''
                AND (\(isCorrected) OR \(early) OR \(late)) GROUP BY variation
                """, .text, .integer, .integer, .integer)
        }

        private static func forced(_ projectID: String) -> PostgreSQLQuery {
            PostgreSQLQuery(
                "SELECT DISTINCT visitor FROM \(EngineTable.name) "
                    + "WHERE project = \(PostgreSQLSchema.literal(projectID)) AND \(PostgreSQLSchema.isForced)",
                .integer)
        }

        private static func conversions(_ selection: ConversionSelection) -> PostgreSQLQuery {
            PostgreSQLQuery(
                """
                SELECT visitor, occurred, (\(isCorrected))::int::bigint, revenue, value
                \(rows(.conversion, selection.projectID, selection.eventKey)) AND occurred >= \(selection.start)
                """, .integer, .integer, .integer, .integer, .double)
        }

        private static func outcomes(_ selection: RuleOutcomes) -> PostgreSQLQuery {
            func part(_ kind: EngineRow.Kind, _ subject: String) -> String {
                """
                SELECT visitor, occurred, kind::bigint, variation, has_revenue::bigint, revenue, has_value::bigint,
                    value
                \(rows(kind, selection.projectID, subject)) AND occurred >= \(selection.start)
                \(kind == .exposure ? "AND variation <> ''" : "")
                """
            }
            return PostgreSQLQuery(
                """
                \(part(.exposure, selection.ruleID)) UNION ALL \(part(.conversion, selection.eventKey))
                ORDER BY visitor, occurred, kind
                """, .integer, .integer, .integer, .text, .integer, .integer, .integer, .double)
        }

        private static func totals(of visitors: [Int64], _ selection: ConversionSelection) -> PostgreSQLQuery {
            PostgreSQLQuery(
                """
                SELECT count(*), coalesce(sum(revenue::double precision), 0)
                \(rows(.conversion, selection.projectID, selection.eventKey))
                AND visitor IN (\(visitors.map(String.init).joined(separator: ", "))) AND occurred >= \(selection.start)
                """, .integer, .double)
        }
    }
#endif
