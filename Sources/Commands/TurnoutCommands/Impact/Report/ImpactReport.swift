package import TurnoutReports

extension ImpactSummary {
    /// The most characters of a comment. Those on GitHub may have 65,536; one with ``ChangeReport`` has room for both.
    package static let markdownLimit = 45_000

    /// The comparison as a comment for a pull request.
    package var markdown: String { report.markdown(limit: Self.markdownLimit, command: "turnout impact") }

    /// The comparison with changes that invalidate results first, and a matrix per flag.
    package var report: Report {
        var report = Report()
        report.sections = [
            head, crossings, lostAssignments, participation, otherValues,
        ].compactMap(\.self)
        report.sections += flags.map(section)
        if !examples.isEmpty { report.sections.append(tellingExamples) }
        return report
    }

    private var head: Report.Section {
        let lists = [
            ("Flags added", addedFlags), ("Flags removed", removedFlags), ("Different, but not compared", notCompared),
        ].filter { !$1.isEmpty }
        return section(
            nil, "the datafiles",
            [
                .sentence(sentence(movedUsers, "moves", "move") + ".", .bold, hang: 0),
                .sentence("\(datafiles); \(source)", .dim, hang: 0),
            ] + lists.map { .list($0, $1.map { .code($0) }) })
    }

    private var crossings: Report.Section {
        let users = users(.crossing)
        guard users > 0 else {
            let none = "No user crosses from one arm of an experiment to another."
            return section(nil, "", [.sentence(none, .green, hang: 0)])
        }
        let table = table(["Flag", "Experiment", "From", "To"], .crossing) { key, change in
            let (old, new) = (change.old, change.new)
            return [.code(key), .code(old.rule ?? ""), .init(old.arm(unlike: new)), .init(new.arm(unlike: old), .red)]
        }
        let note = "Their behavior counts for both arms, so the results of these experiments cannot be trusted."
        return section(
            (sentence(users, "crosses", "cross") + " from one arm of an experiment to another:", .red),
            "users that cross", [table, .sentence(note, .red, hang: 0)])
    }

    private var participation: Report.Section? {
        let (entering, leaving) = (users(.entering), users(.leaving))
        guard entering + leaving > 0 else { return nil }
        let kinds: [(ChangeKinds, String)] = [(.entering, "enter"), (.leaving, "leave")]
        let users = kinds.flatMap { kind, word in
            rows(kind) { key, change in
                let experiment = kind == .entering ? change.new.rule : change.old.rule
                return [
                    .code(key), .code(experiment ?? ""), .init(word), .init(change.old.label), .init(change.new.label),
                ]
            }
        }
        return section(
            ("Users that enter an experiment: \(entering.grouped); that leave one: \(leaving.grouped).", .yellow),
            "users that enter or leave an experiment", [table(["Flag", "Experiment", "", "From", "To"], users)])
    }

    private var otherValues: Report.Section? {
        let users = users(.values)
        guard users > 0 else { return nil }
        let table = table(["Flag", "Variation", "Change"], .values) { key, change in
            [
                .code(key), .init(change.new.variation ?? "–"),
                .init(change.valueChanges.joined(separator: ", ")),
            ]
        }
        return section(
            (sentence(users, "gets", "get") + " other values with the same variation:", .yellow), "other values",
            [table])
    }

    private var lostAssignments: Report.Section? {
        let users = users(.lostAssignment)
        guard users > 0 else { return nil }
        let table = table(["Flag", "Experiment", "Stored", "Now"], .lostAssignment) { key, change in
            [.code(key), .code(change.old.rule ?? ""), .init(change.old.label), .init(change.new.label)]
        }
        return section(
            (sentence(users, "loses", "lose") + " a stored assignment:", .red), "lost assignments", [table])
    }

    private func section(_ flag: FlagImpact) -> Report.Section {
        let changes = flag.changes.filter { !$0.change.kinds.isDisjoint(with: [.variation, .rule, .crossing]) }
        let rows = changes.map { change in
            [
                .init(change.change.old.label), .init(change.change.new.label, .cyan),
                .init(change.change.ruleChange, .dim),
            ] + cells(change)
        }
        let title = [
            Report.Text.code(flag.key, .bold), .init(": " + sentence(flag.movedUsers, "moves", "move"), .bold),
        ]
        var section = Report.Section(.init(texts: title, hang: 0))
        if flag.cells.contains(where: { $0.old != $0.new }) { section.blocks.append(.matrix(matrix(flag))) }
        if !rows.isEmpty { section.blocks.append(table(["From", "To", "By rule"], rows)) }
        section.omission = ("the matrices of # flags: ", 1, .code(flag.key))
        return section
    }

    /// Users by variation before and after; as a list, the pairs that have users.
    private func matrix(_ flag: FlagImpact) -> ReportMatrix {
        let (rows, columns) = flag.axes
        let users = Dictionary(flag.cells.map { ([$0.old, $0.new], $0.users) }) { first, _ in first }
        func cell(_ old: VariationState, _ new: VariationState) -> Report.Text {
            let count = users[[old, new], default: 0]
            var cell = Report.Text(count.grouped, count == 0 || old == new ? .dim : .bold)
            if count > 0 { cell.detail = "(\(ShareText.percent(share(count))))" }
            return cell
        }
        let list = ReportTable(
            [.init("From"), .init("To"), .init("Users", .right)],
            rows: flag.cells.map { [.init($0.old.label), .init($0.new.label), cell($0.old, $0.new)] })
        return ReportMatrix(
            corner: "from ↓ to →", rows: rows.map(\.label), columns: columns.map(\.label),
            cells: rows.map { old in columns.map { cell(old, $0) } },
            names: ("variations before the change", "variations after the change"), list: list)
    }

    private var tellingExamples: Report.Section {
        let rows = examples.flatMap { example in
            example.tellingChanges.enumerated().map { index, telling -> [Report.Text] in
                let (old, new) = (telling.change.old, telling.change.new)
                let isCrossing = telling.change.kinds.contains(.crossing)
                return [
                    .code(index == 0 ? example.userID : "", .bold), .code(telling.flagKey),
                    .init(isCrossing ? old.arm(unlike: new) : old.label),
                    .init(isCrossing ? new.arm(unlike: old) : new.label, .cyan),
                ]
            }
        }
        let columns: [ReportTable.Column] = ["User", "Flag", "From", "To"].map { .init($0) }
        return section(
            ("Users with the most telling changes:", .bold), "the users with the most telling changes",
            [.table(ReportTable(columns, rows: rows))])
    }

    // MARK: Pieces

    private func section(
        _ title: (text: String, style: TextStyle)?, _ omission: String, _ blocks: [Report.Block]
    ) -> Report.Section {
        var section = Report.Section(nil, blocks)
        if let title { section.title = .init(texts: [.init(title.text, title.style)], hang: 0) }
        section.omission = (omission, 1, nil)
        return section
    }

    private func table(
        _ titles: [String], _ kind: ChangeKinds, _ cells: (String, FlagChange) -> [Report.Text]
    ) -> Report.Block { table(titles, rows(kind, cells)) }

    private func rows(_ kind: ChangeKinds, _ cells: (String, FlagChange) -> [Report.Text]) -> [[Report.Text]] {
        changes(kind).map { key, change in cells(key, change.change) + self.cells(change) }
    }

    /// A table with the columns that all have.
    private func table(_ titles: [String], _ rows: [[Report.Text]]) -> Report.Block {
        let interval: [ReportTable.Column] = isSample ? [.init("95 %", .right)] : []
        let columns: [ReportTable.Column] = titles.map { .init($0) }
        let users: [ReportTable.Column] = [.init("Users", .right), .init("Share", .right)]
        return .table(ReportTable(columns + users + interval + [.init("For example", maximum: 24)], rows: rows))
    }

    private func cells(_ change: Change) -> [Report.Text] {
        let interval = interval(change.users).map { [Report.Text(ShareText.percent($0), .dim)] } ?? []
        return [.init(change.users.grouped), .init(ShareText.percent(share(change.users)))] + interval
            + [.init(change.examples.joined(separator: " "), .dim)]
    }
}
