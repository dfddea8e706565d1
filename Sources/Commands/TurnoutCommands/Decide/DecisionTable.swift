import TurnoutEngine

/// Decisions as a table with reasons.
struct DecisionTable: Sendable {
    private var rows: [[TextTable.Cell]] = []
    private var lastUser: String?

    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ decision: Decision, for user: User, because summary: String) {
        let isNewUser = user.id != lastUser
        lastUser = user.id
        if isNewUser, !rows.isEmpty { rows.append([]) }
        rows.append([
            TextTable.Cell(isNewUser ? user.id : "", .bold),
            TextTable.Cell(decision.flagKey),
            decision.variationKey.map { TextTable.Cell($0, .cyan) } ?? TextTable.Cell("–", .dim),
            decision.ruleKey.map { TextTable.Cell($0) } ?? TextTable.Cell("–", .dim),
            decision.isEnabled ? TextTable.Cell("on", .green) : TextTable.Cell("off", .dim),
            TextTable.Cell(variables(decision)),
            TextTable.Cell(summary, .dim),
        ])
    }

    mutating func append(_ other: DecisionTable) {
        if !rows.isEmpty, !other.rows.isEmpty { rows.append([]) }
        rows += other.rows
    }

    private func variables(_ decision: Decision) -> String {
        decision.variables.all.map { key, value in
            var writer = JSONWriter()
            writer.value(value.jsonValue ?? .null)
            return "\(key)=\(writer.text)"
        }.joined(separator: " ")
    }

    /// The table in the width of the terminal, or 100 columns in a file or a pipe, unless `COLUMNS` is set. Long cells
    /// continue on the next line.
    func text(for terminal: Terminal) -> String {
        var table = TextTable(
            [
                .init("User"), .init("Flag"), .init("Variation"), .init("Rule"), .init("On"), .init("Variables"),
                .init("Why"),
            ], overflow: .wrap)
        for row in rows { table.append(row) }
        return table.text(width: terminal.width, hasColor: terminal.hasColor)
    }
}
