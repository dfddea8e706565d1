/// The text of a query for ClickHouse. Old and new versions take it: without common table expressions and window
/// functions, and with a name for each inner query.
struct ClickHouseQuery {
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

    // A part gets another name with each change.
    private static let progress =
        "SELECT sum(cityHash64(name)) FROM system.parts WHERE active AND database = currentDatabase() "
        + "AND table = '\(EngineTable.name)'"
    private static let isCorrected = "bitAnd(flags, \(EngineRow.Notes.correctedTime.rawValue)) = 1"

    /// The rows of a kind.
    private static func rows(_ kind: EngineRow.Kind, _ project: String, _ subject: String) -> String {
        """
        FROM \(EngineTable.name) WHERE project = \(ClickHouseSchema.literal(project)) AND kind = \(kind.rawValue)
        AND subject = \(ClickHouseSchema.literal(subject))
        """
    }

    private static func exposures(_ selection: ExposureSelection) -> String {
        "SELECT visitor, variation, client, client_version, min(occurred) AS first \(counted(selection)) "
            + "GROUP BY visitor, variation, client, client_version"
    }

    private static func attributes(_ selection: ExposureSelection, _ names: [String]) -> String {
        // A name may be written with escapes.
        let found = (names + ["\\u"]).map { "position(attributes, \(ClickHouseSchema.literal($0))) > 0" }
        return "SELECT visitor, attributes \(counted(selection)) AND (\(found.joined(separator: " OR "))) "
            + "GROUP BY visitor, attributes"
    }

    /// The exposures that count.
    private static func counted(_ selection: ExposureSelection) -> String {
        var text = """
            \(rows(.exposure, selection.projectID, selection.experimentID)) AND variation != '' AND NOT \(isCorrected)
            """
        if let start = selection.start { text += " AND occurred >= \(start)" }
        if let end = selection.end { text += " AND occurred < \(end)" }
        return text
    }

    private static func leftOut(_ selection: ExposureSelection) -> String {
        let early = selection.start.map { "occurred < \($0)" } ?? "0"
        let late = selection.end.map { "occurred >= \($0)" } ?? "0"
        return """
            SELECT variation, uniqExactIf(event, \(isCorrected)) AS corrected,
                uniqExactIf(event, NOT \(isCorrected) AND \(early)) AS early,
                uniqExactIf(event, NOT \(isCorrected) AND \(late)) AS late
            \(rows(.exposure, selection.projectID, selection.experimentID)) AND variation != ''
            AND (\(isCorrected) OR \(early) OR \(late)) GROUP BY variation
            """
    }

    private static func forced(_ projectID: String) -> String {
        "SELECT DISTINCT visitor FROM \(EngineTable.name) WHERE project = \(ClickHouseSchema.literal(projectID)) "
            + "AND bitAnd(flags, \(EngineRow.Notes.forced.rawValue)) != 0"
    }

    private static func conversions(_ selection: ConversionSelection) -> String {
        """
        SELECT visitor, min(occurred) AS first, min(\(isCorrected)) AS is_corrected, any(revenue) AS amount,
            any(value) AS number
        \(rows(.conversion, selection.projectID, selection.eventKey)) AND occurred >= \(selection.start)
        GROUP BY visitor, event
        """
    }

    private static func outcomes(_ selection: RuleOutcomes) -> String {
        func part(_ kind: EngineRow.Kind, _ subject: String) -> String {
            """
            SELECT visitor AS user, min(occurred) AS first, \(kind.rawValue) AS sort, any(variation) AS arm,
                any(has_revenue) AS has_amount, any(revenue) AS amount, any(has_value) AS has_number,
                any(value) AS number
            \(rows(kind, selection.projectID, subject)) AND occurred >= \(selection.start)
            \(kind == .exposure ? "AND variation != ''" : "") GROUP BY visitor, event
            """
        }
        return """
            SELECT user, first, sort, arm, has_amount, amount, has_number, number FROM (
            \(part(.exposure, selection.ruleID)) UNION ALL \(part(.conversion, selection.eventKey))
            ) AS events ORDER BY user, first, sort
            """
    }

    private static func totals(of visitors: [Int64], _ selection: ConversionSelection) -> String {
        """
        SELECT count() AS conversions, sum(amount) AS total FROM (
            SELECT any(toFloat64(revenue)) AS amount \(rows(.conversion, selection.projectID, selection.eventKey))
            AND visitor IN (\(visitors.map(String.init).joined(separator: ", "))) AND occurred >= \(selection.start)
            GROUP BY visitor, event
        ) AS events
        """
    }
}
