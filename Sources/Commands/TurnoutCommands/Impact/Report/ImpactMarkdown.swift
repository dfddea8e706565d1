import TurnoutCommandIO

/// A comparison as a comment for a pull request: the summary, changes that invalidate results, a matrix per flag, and
/// examples.
///
/// The text always has fewer than ``limit`` characters. Parts that do not fit are left out, the least important first,
/// and the text says which.
package struct ImpactMarkdown {
    private let summary: ImpactSummary
    package private(set) var text = ""
    /// The names of the sections that are left out.
    private var leftOut: [String] = []
    private var leftOutFlags: [String] = []

    /// Comments on GitHub may have 65,536 characters. One with ``ChangeReport`` has room for both.
    package static let limit = 45_000
    /// Room for the lines that say what is left out.
    private static let reserve = 2_000
    /// The rows of a table, and fewer if there is no room for them.
    private static let rowLimits = [50, 10, 2]
    /// The most columns of a matrix.
    private static let columnLimit = 12

    package init(_ summary: ImpactSummary) {
        self.summary = summary
        let content = self
        _ = add { _ in "**\(summary.headline)**\n" }
        for (name, section) in [
            ("the datafiles", content.head), ("users that cross", content.crossings),
            ("lost assignments", content.lostAssignments),
            ("users that enter or leave an experiment", content.participation), ("other values", content.values),
            ("the users with the most telling changes", content.examples),
        ] where !add(section) { leftOut.append(name) }
        for flag in summary.flags where !add({ content.section(flag, $0) }) { leftOutFlags.append(flag.key) }
        if !leftOutFlags.isEmpty {
            let keys = content.shortList(leftOutFlags.map(content.code), limit: 10)
            leftOut.append("the matrices of \(leftOutFlags.count.grouped) flags: \(keys)")
        }
        guard !leftOut.isEmpty else { return }
        let names = leftOut.joined(separator: "; ")
        text += "\nA comment has no room for \(names). `turnout impact` in a terminal prints all.\n"
    }

    /// Adds a section with as many rows as there is room for, or returns false.
    private mutating func add(_ section: (_ rowLimit: Int) -> String) -> Bool {
        for rowLimit in Self.rowLimits {
            let section = section(rowLimit)
            guard !section.isEmpty else { return true }
            // The limit is in characters; counting Unicode scalars is on the safe side.
            let length = text.unicodeScalars.count + section.unicodeScalars.count
            guard length >= Self.limit - Self.reserve else {
                text += (text.isEmpty ? "" : "\n") + section
                return true
            }
        }
        return false
    }

    // MARK: Sections

    private func head(_ rowLimit: Int) -> String {
        let flags = [
            ("Flags added", summary.addedFlags), ("Flags removed", summary.removedFlags),
            ("**Different, but not compared**", summary.notCompared),
        ].filter { !$0.1.isEmpty }.map { title, keys in
            "\(title): \(shortList(keys.map(code), limit: rowLimit)).\n"
        }
        return escaped("\(summary.datafiles); \(summary.source).") + "\n" + flags.map { "\n" + $0 }.joined()
    }

    private func crossings(_ rowLimit: Int) -> String {
        let users = summary.users(.crossing)
        guard users > 0 else { return "No user crosses from one arm of an experiment to another.\n" }
        let sentence = summary.sentence(users, "crosses", "cross")
        return "### ⚠️ \(sentence) from one arm of an experiment to another\n\n"
            + table(["Flag", "Experiment", "Change"], summary.changes(.crossing), rowLimit) { key, change in
                [code(key), code(change.new.rule ?? ""), escaped(change.variationChange)]
            }
    }

    private func participation(_ rowLimit: Int) -> String {
        let (entering, leaving) = (summary.users(.entering), summary.users(.leaving))
        guard entering + leaving > 0 else { return "" }
        func rows(_ kind: ChangeKinds, _ word: String) -> String {
            table(["Flag", "Experiment", "", "Change"], summary.changes(kind), rowLimit) { key, change in
                let experiment = kind == .entering ? change.new.rule : change.old.rule
                return [code(key), code(experiment ?? ""), word, escaped(change.variationChange)]
            }
        }
        let parts = [rows(.entering, "enter"), rows(.leaving, "leave")].filter { !$0.isEmpty }
        return "### Users that enter an experiment: \(entering.grouped), that leave one: \(leaving.grouped)\n\n"
            + parts.joined(separator: "\n")
    }

    private func values(_ rowLimit: Int) -> String {
        let users = summary.users(.values)
        guard users > 0 else { return "" }
        return "### \(summary.sentence(users, "gets", "get")) other values with the same variation\n\n"
            + table(["Flag", "Variation", "Change"], summary.changes(.values), rowLimit) { key, change in
                let values = change.valueChanges.map { escaped($0) }
                return [code(key), escaped(change.new.label), shortList(values, limit: 10)]
            }
    }

    private func lostAssignments(_ rowLimit: Int) -> String {
        let users = summary.users(.lostAssignment)
        guard users > 0 else { return "" }
        return "### ⚠️ \(summary.sentence(users, "loses", "lose")) a stored assignment\n\n"
            + table(["Flag", "Experiment", "Change"], summary.changes(.lostAssignment), rowLimit) { key, change in
                [code(key), code(change.old.rule ?? ""), escaped(change.variationChange)]
            }
    }

    private func examples(_ rowLimit: Int) -> String {
        guard !summary.examples.isEmpty else { return "" }
        let rows = summary.examples.prefix(rowLimit).map { example in
            let all = example.tellingChanges
            let changes = all.prefix(10).map { "\(code($0.flagKey)) \(escaped($0.change.variationChange))" }
            let more = all.count - changes.count
            return row([code(example.userID), (changes + (more > 0 ? ["\(more) more"] : [])).joined(separator: "<br>")])
        }
        return "### Users with the most telling changes\n\n" + header(["User", "Changes"]) + rows.joined()
            + more(summary.examples.count - rows.count, "users")
    }

    private func section(_ flag: ImpactSummary.FlagImpact, _ rowLimit: Int) -> String {
        let title = "### \(code(flag.key)): \(summary.sentence(flag.movedUsers, "moves", "move"))\n\n"
        let rules = flag.changes.filter { $0.change.kinds.contains(.rule) }.map { (flag.key, $0) }
        return title + matrix(flag, rowLimit)
            + table(["Variation", "By rule"], rules, rowLimit) { [escaped($1.new.label), escaped($1.ruleChange)] }
    }

    private func matrix(_ flag: ImpactSummary.FlagImpact, _ rowLimit: Int) -> String {
        let (rows, columns) = flag.axes
        let shown = columns.prefix(Self.columnLimit)
        let lines = rows.prefix(rowLimit).map { old in
            row(
                [escaped(old.label)]
                    + shown.map { new in
                        let users = flag.users(from: old, to: new)
                        let text = users == 0 ? "" : "\(users.grouped) (\(ShareText.percent(summary.share(users))))"
                        return old == new || users == 0 ? text : "**\(text)**"
                    })
        }
        return header(["from ↓ to →"] + shown.map { escaped($0.label) }) + lines.joined()
            + more(columns.count - shown.count, "variations after the change")
            + more(rows.count - lines.count, "variations before the change") + "\n"
    }

    // MARK: Pieces

    private func table(
        _ titles: [String], _ changes: [(flagKey: String, change: ImpactSummary.Change)], _ rowLimit: Int,
        _ cells: (String, FlagChange) -> [String]
    ) -> String {
        guard !changes.isEmpty else { return "" }
        let rows = changes.prefix(rowLimit).map { key, change in
            let interval = summary.interval(change.users).map { " (\(ShareText.percent($0)))" } ?? ""
            let share = ShareText.percent(summary.share(change.users)) + interval
            let examples = change.examples.prefix(5).map(code).joined(separator: " ")
            return row(cells(key, change.change) + [change.users.grouped, escaped(share), examples])
        }
        return header(titles + ["Users", "Share", "For example"]) + rows.joined()
            + more(changes.count - rows.count, "changes")
    }

    /// The note on the rows that a table leaves out.
    private func more(_ count: Int, _ what: String) -> String {
        count > 0 ? "\n\(count.grouped) more \(what) are left out here.\n" : ""
    }

    /// `a, b and 12 more`
    private func shortList(_ texts: [String], limit: Int) -> String {
        let more = texts.count - limit
        return texts.prefix(limit).joined(separator: ", ") + (more > 0 ? " and \(more.grouped) more" : "")
    }

    private func header(_ titles: [String]) -> String { row(titles) + row(titles.map { _ in "---" }) }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }

    /// Text of a datafile or a user in a table, where it is neither formatted nor ends the cell.
    private func escaped(_ text: String) -> String { text.printable.truncated(to: 200).markdown }

    /// Text as code. A bar would end the cell even there.
    private func code(_ text: String) -> String {
        let text = text.printable.truncated(to: 100)
        let isPlain = !text.isEmpty && !text.contains("`") && !text.contains("|")
        return isPlain ? "`\(text)`" : escaped(text)
    }
}
