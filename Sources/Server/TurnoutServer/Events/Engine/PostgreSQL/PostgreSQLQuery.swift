#if PostgreSQL
    /// The text of a query for PostgreSQL.
    struct PostgreSQLQuery {
        let text: String

        init(_ query: EngineQuery) {
            switch query {
            case .exposures(let selection): text = Self.exposures(selection)
            case .attributes(let selection, let names): text = Self.attributes(selection, names)
            case .leftOut(let selection): text = Self.leftOut(selection)
            case .forced(let projectID): text = Self.forced(projectID)
            case .conversions(let selection): text = Self.conversions(selection)
            case .outcomes(let selection): text = Self.outcomes(selection)
            case .totals(let visitors, let selection): text = Self.totals(of: visitors, selection)
            case .progress: text = Self.progress
            }
        }

        /// The version of the tables.
        static let version = "SELECT coalesce(max(version), 0) FROM turnout_schema"

        // Differs after each transaction of the database.
        private static let progress = "SELECT hashtextextended(pg_current_snapshot()::text, 0)"
        private static let isCorrected = "(flags & \(EngineRow.Notes.correctedTime.rawValue)) = 1"

        /// The rows of a kind.
        private static func rows(_ kind: EngineRow.Kind, _ project: String, _ subject: String) -> String {
            """
            FROM \(EngineTable.name) WHERE project = \(PostgreSQLSchema.literal(project)) AND kind = \(kind.rawValue)
            AND subject = \(PostgreSQLSchema.literal(subject))
            """
        }

        private static func exposures(_ selection: ExposureSelection) -> String {
            """
            SELECT visitor, variation, client, client_version, min(occurred) \(counted(selection))
            GROUP BY visitor, variation, client, client_version
            """
        }

        private static func attributes(_ selection: ExposureSelection, _ names: [String]) -> String {
            // A name may be written with escapes.
            let found = (names + ["\\u"]).map { "strpos(attributes, \(PostgreSQLSchema.literal($0))) > 0" }
            return "SELECT DISTINCT visitor, attributes \(counted(selection)) "
                + "AND (\(found.joined(separator: " OR ")))"
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

        private static func leftOut(_ selection: ExposureSelection) -> String {
            let early = selection.start.map { "occurred < \($0)" } ?? "false"
            let late = selection.end.map { "occurred >= \($0)" } ?? "false"
            return """
                SELECT variation, count(*) FILTER (WHERE \(isCorrected)),
                    count(*) FILTER (WHERE NOT \(isCorrected) AND \(early)),
                    count(*) FILTER (WHERE NOT \(isCorrected) AND \(late))
                \(rows(.exposure, selection.projectID, selection.experimentID)) AND variation <> ''
                AND (\(isCorrected) OR \(early) OR \(late)) GROUP BY variation
                """
        }

        private static func forced(_ projectID: String) -> String {
            "SELECT DISTINCT visitor FROM \(EngineTable.name) "
                + "WHERE project = \(PostgreSQLSchema.literal(projectID)) AND \(PostgreSQLSchema.isForced)"
        }

        private static func conversions(_ selection: ConversionSelection) -> String {
            """
            SELECT visitor, occurred, (\(isCorrected))::int::bigint, revenue, value
            \(rows(.conversion, selection.projectID, selection.eventKey)) AND occurred >= \(selection.start)
            """
        }

        private static func outcomes(_ selection: RuleOutcomes) -> String {
            func part(_ kind: EngineRow.Kind, _ subject: String) -> String {
                """
                SELECT visitor, occurred, kind::bigint, variation, has_revenue::bigint, revenue, has_value::bigint,
                    value
                \(rows(kind, selection.projectID, subject)) AND occurred >= \(selection.start)
                \(kind == .exposure ? "AND variation <> ''" : "")
                """
            }
            return """
                \(part(.exposure, selection.ruleID)) UNION ALL \(part(.conversion, selection.eventKey))
                ORDER BY visitor, occurred, kind
                """
        }

        private static func totals(of visitors: [Int64], _ selection: ConversionSelection) -> String {
            """
            SELECT count(*), coalesce(sum(revenue::double precision), 0)
            \(rows(.conversion, selection.projectID, selection.eventKey))
            AND visitor IN (\(visitors.map(String.init).joined(separator: ", "))) AND occurred >= \(selection.start)
            """
        }
    }
#endif
