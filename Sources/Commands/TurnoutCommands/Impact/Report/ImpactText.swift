import TurnoutCommandIO
import TurnoutEngine

/// A comparison as text and tables, with changes that invalidate results first.
package struct ImpactText {
    private let summary: ImpactSummary
    private let width: Int
    private let hasColor: Bool
    package private(set) var text = ""

    package init(_ summary: ImpactSummary, width: Int, hasColor: Bool) {
        (self.summary, self.width, self.hasColor) = (summary, width, hasColor)
        writeHead()
        writeCrossings()
        writeLostAssignments()
        writeParticipation()
        writeValues()
        writeFlagLists()
        for flag in summary.flags { write(flag) }
        writeExamples()
    }

    private mutating func writeHead() {
        line(summary.headline, .bold)
        line("\(summary.datafiles); \(summary.source)", .dim)
    }

    private mutating func writeCrossings() {
        let users = summary.users(.crossing)
        guard users > 0 else {
            return heading("No user crosses from one arm of an experiment to another.", .green)
        }
        heading(summary.sentence(users, "crosses", "cross") + " from one arm of an experiment to another:", .red)
        var table = table(["Flag", "Experiment", "From", "To"])
        for (key, change) in summary.changes(.crossing) {
            let (old, new) = (change.change.old, change.change.new)
            let arms = [TextTable.Cell(old.arm(unlike: new)), TextTable.Cell(new.arm(unlike: old), .red)]
            table.append([.init(key), .init(old.rule ?? "")] + arms + cells(change))
        }
        write(table)
        line("Their behavior counts for both arms, so the results of these experiments cannot be trusted.", .red)
    }

    private mutating func writeParticipation() {
        let (entering, leaving) = (summary.users(.entering), summary.users(.leaving))
        guard entering + leaving > 0 else { return }
        heading("Users that enter an experiment: \(entering.grouped); that leave one: \(leaving.grouped).", .yellow)
        var table = table(["Flag", "Experiment", "", "From", "To"])
        for (kind, word) in [(ChangeKinds.entering, "enter"), (.leaving, "leave")] {
            for (key, change) in summary.changes(kind) {
                let (old, new) = (change.change.old, change.change.new)
                let experiment = kind == .entering ? new.rule : old.rule
                table.append(
                    [.init(key), .init(experiment ?? ""), .init(word), .init(old.label), .init(new.label)]
                        + cells(change))
            }
        }
        write(table)
    }

    private mutating func writeValues() {
        let users = summary.users(.values)
        guard users > 0 else { return }
        heading(summary.sentence(users, "gets", "get") + " other values with the same variation:", .yellow)
        var table = table(["Flag", "Variation", "Change"])
        for (key, change) in summary.changes(.values) {
            let values = change.change.valueChanges.joined(separator: ", ")
            table.append([.init(key), .init(change.change.new.variation ?? "–"), .init(values)] + cells(change))
        }
        write(table)
    }

    private mutating func writeLostAssignments() {
        let users = summary.users(.lostAssignment)
        guard users > 0 else { return }
        heading(summary.sentence(users, "loses", "lose") + " a stored assignment:", .red)
        var table = table(["Flag", "Experiment", "Stored", "Now"])
        for (key, change) in summary.changes(.lostAssignment) {
            let (old, new) = (change.change.old, change.change.new)
            table.append([.init(key), .init(old.rule ?? ""), .init(old.label), .init(new.label)] + cells(change))
        }
        write(table)
    }

    private mutating func writeFlagLists() {
        for (title, keys) in [
            ("Flags added", summary.addedFlags), ("Flags removed", summary.removedFlags),
            ("Different, but not compared", summary.notCompared),
        ] where !keys.isEmpty {
            heading("\(title): \(keys.joined(separator: ", "))", .yellow)
        }
    }

    private mutating func write(_ flag: ImpactSummary.FlagImpact) {
        heading("\(flag.key): " + summary.sentence(flag.movedUsers, "moves", "move"), .bold)
        if let matrix = matrix(flag) { text += matrix + "\n" }
        var table = table(["From", "To", "By rule"])
        for change in flag.changes where !change.change.kinds.isDisjoint(with: [.variation, .rule, .crossing]) {
            let (old, new) = (change.change.old, change.change.new)
            table.append(
                [.init(old.label), .init(new.label, .cyan), .init(change.change.ruleChange, .dim)] + cells(change))
        }
        write(table)
    }

    /// Users by variation before and after. If there is no room for all columns, the matrix continues below with the
    /// others. If half of them do not fit either, it is a list of the pairs that have users.
    private func matrix(_ flag: ImpactSummary.FlagImpact) -> String? {
        let (rows, columns) = flag.axes
        guard !rows.isEmpty, flag.cells.contains(where: { $0.old != $0.new }) else { return nil }
        let users = Dictionary(flag.cells.map { ([$0.old, $0.new], $0.users) }) { first, _ in first }
        let cells = columns.map { column in rows.map { users[[$0, column], default: 0].grouped } }
        let titles = rows.map(\.label)
        let room = width - ([Self.corner] + titles).map(\.displayWidth).reduce(0, max)
        var (parts, used) = ([[Int]()], 0)
        for (index, column) in columns.enumerated() {
            let needed = TextTable.gap + ([column.label] + cells[index]).map(\.displayWidth).reduce(0, max)
            guard needed <= room else { return list(flag) }
            if used + needed > room { (parts, used) = (parts + [[]], 0) }
            parts[parts.count - 1].append(index)
            used += needed
        }
        guard parts.count <= 2 else { return list(flag) }
        return parts.map { part in
            var table = TextTable([.init(Self.corner)] + part.map { .init(columns[$0].label, .right) })
            for (number, row) in rows.enumerated() {
                let cells = part.map { index -> TextTable.Cell in
                    let text = cells[index][number]
                    return .init(text, text == "0" || row == columns[index] ? .dim : .bold)
                }
                table.append([.init(titles[number])] + cells)
            }
            return table.text(hasColor: hasColor)
        }.joined(separator: "\n")
    }

    private static let corner = "from ↓ to →"

    private func list(_ flag: ImpactSummary.FlagImpact) -> String {
        var table = TextTable([.init("From"), .init("To"), .init("Users", .right)], overflow: .stack)
        for cell in flag.cells {
            table.append([
                .init(cell.old.label), .init(cell.new.label),
                .init(cell.users.grouped, cell.old == cell.new ? .dim : .bold),
            ])
        }
        return table.text(width: width, hasColor: hasColor)
    }

    private mutating func writeExamples() {
        guard !summary.examples.isEmpty else { return }
        heading("Users with the most telling changes:", .bold)
        var table = TextTable([.init("User"), .init("Flag"), .init("From"), .init("To")], overflow: .stack)
        for example in summary.examples {
            for (index, (key, change)) in example.tellingChanges.enumerated() {
                let states =
                    change.kinds.contains(.crossing)
                    ? (change.old.arm(unlike: change.new), change.new.arm(unlike: change.old))
                    : (change.old.label, change.new.label)
                table.append([
                    .init(index == 0 ? example.userID : "", .bold), .init(key), .init(states.0),
                    .init(states.1, .cyan),
                ])
            }
        }
        write(table)
    }

    // MARK: Pieces

    private func table(_ titles: [String]) -> TextTable {
        let interval: [TextTable.Column] = summary.isSample ? [.init("95 %", .right)] : []
        return TextTable(
            titles.map { .init($0) } + [.init("Users", .right), .init("Share", .right)] + interval
                + [.init("For example", maximum: 24)], overflow: .stack)
    }

    /// The cells of the columns that all tables have.
    private func cells(_ change: ImpactSummary.Change) -> [TextTable.Cell] {
        let interval = summary.interval(change.users).map { [TextTable.Cell(ShareText.percent($0), .dim)] } ?? []
        return [.init(change.users.grouped), .init(ShareText.percent(summary.share(change.users)))] + interval
            + [.init(change.examples.joined(separator: " "), .dim)]
    }

    private mutating func write(_ table: TextTable) {
        guard !table.isEmpty else { return }
        text += table.text(width: width, hasColor: hasColor)
    }

    private mutating func heading(_ heading: String, _ style: TextStyle? = nil) {
        text += "\n"
        line(heading, style)
    }

    private mutating func line(_ line: String, _ style: TextStyle? = nil) {
        for part in line.printable.wrapped(to: width) { text += part.styled(style, if: hasColor) + "\n" }
    }
}
