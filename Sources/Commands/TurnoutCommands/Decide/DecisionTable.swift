import TurnoutEngine

/// Decisions as a table for people: who gets what, and why.
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

    /// The table as it suits the place where it is shown: where not everything fits, the variables go first.
    func text(for terminal: Terminal) -> String {
        let full = table(variablesWidth: terminal.isTerminal ? 36 : 60)
        guard terminal.isTerminal else { return full.text(for: terminal) }
        let widest = full.text().split(separator: "\n").map(\.displayWidth).max() ?? 0
        let room = terminal.width - widest + 36
        return (room >= 36 ? full : table(variablesWidth: room >= 12 ? room : nil)).text(for: terminal)
    }

    private func table(variablesWidth: Int?) -> Table {
        var columns: [Table.Column] = [
            .init("User"), .init("Flag"), .init("Variation"), .init("Rule"), .init("On"), .init("Why"),
        ]
        if let variablesWidth { columns.insert(.init("Variables", maximum: variablesWidth), at: Self.variablesColumn) }
        var table = Table(columns)
        for row in rows {
            var row = row
            if variablesWidth == nil, row.count > Self.variablesColumn { row.remove(at: Self.variablesColumn) }
            table.append(row)
        }
        return table
    }

    private static let variablesColumn = 5
}
