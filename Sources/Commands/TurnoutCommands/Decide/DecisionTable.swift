import TurnoutEngine

/// Decisions as a table with reasons.
struct DecisionTable: Sendable {
    private var rows: [[Table.Cell]] = []
    private var lastUser: String?

    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ decision: Decision, for user: User, because summary: String) {
        let isNewUser = user.id != lastUser
        lastUser = user.id
        if isNewUser, !rows.isEmpty { rows.append([]) }
        rows.append([
            Table.Cell(isNewUser ? user.id : "", .bold),
            Table.Cell(decision.flagKey),
            decision.variationKey.map { Table.Cell($0, .cyan) } ?? Table.Cell("–", .dim),
            decision.ruleKey.map { Table.Cell($0) } ?? Table.Cell("–", .dim),
            decision.isEnabled ? Table.Cell("on", .green) : Table.Cell("off", .dim),
            Table.Cell(variables(decision)),
            Table.Cell(summary, .dim),
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
        var table = Table(
            [
                .init("User"), .init("Flag"), .init("Variation"), .init("Rule"), .init("On"), .init("Variables"),
                .init("Why"),
            ], overflow: .wrap)
        for row in rows { table.append(row) }
        return table.text(width: terminal.width, hasColor: terminal.hasColor)
    }
}
