import TurnoutCommandIO
import TurnoutEngine
package import TurnoutFlags
import TurnoutReports

/// `turnout diff`: says what an edit of a project means.
enum DiffCommand: Command {
    static let syntax = CommandSyntax(
        name: "diff", summary: "Says in sentences what differs between two projects.",
        discussion: """
            Compares flags, rules, audiences, groups and holdouts by name, and says what changed: traffic, splits, \
            conditions, values. A part that is new is described: what it serves, to whom, and to how many. One that \
            names its former key with `was:` is renamed. Ids are compared, too, if both projects have locks. Comments, \
            layout and an order without meaning are not differences. Use `turnout impact` to see which users an edit \
            moves.

            The exit code is 3 if a `datafile` member differs: what it means is not known, so it is named as not \
            compared.
            """,
        operands: .init(
            "OLD [NEW]",
            "Project files or datafiles; - reads standard input. A commit of git, such as main, stands for the other "
                + "file as it was there. With a commit, NEW may be left out: it is flags.yaml.", count: 1...2),
        options: [
            .value("--output", "FORMAT", "How to print.").short("o").oneOf(ChangeReport.Format.allCases.map(\.rawValue))
                .byDefault("text"),
            .toggle("--fail", "Exit with code 3 also if there are other differences."),
        ],
        examples: [
            "turnout diff main": "Compare flags.yaml with another branch.",
            "turnout diff old.json new.json --output markdown": "Write a comment for a pull request.",
        ],
        json: [
            "changes[].kind": "added, removed, renamed or changed.",
            "changes[].subject": "A list of names, from the outermost part to the innermost.",
            "changes[].detail": "What changed, as in the text; empty if the kind says it.",
            "changes[].environments": "The keys of the environments; empty if it does not depend on them.",
            "notCompared": "What differs in `datafile`, so that the changes do not say how; a list.",
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        try arguments.checkInputs(["OLD", "NEW"])
        let files = try ComparedFile.pair(arguments.operands)
        let (old, new) = (try ProjectSource(files.old), try ProjectSource(files.new))
        let comparison = ProjectComparison(
            from: try old.validProject(), to: try new.validProject(), locks: (old.lock, new.lock))
        let report = ChangeReport(comparison.changes, notCompared: comparison.notCompared)
        let terminal = Terminal(.output)
        let text = report.text(
            as: .init(rawValue: arguments["--output"]) ?? .text, width: terminal.lineWidth, hasColor: terminal.hasColor)
        try StandardStream.output.print(text, "the differences")
        let fails = !report.notCompared.isEmpty || arguments.has("--fail") && !report.isEmpty
        return fails ? differenceExitCode : 0
    }
}

/// The differences between two projects, for people and machines.
package struct ChangeReport {
    /// The formats of `--output`.
    package enum Format: String, CaseIterable {
        case text
        case json
        case markdown
    }

    private let changes: [ProjectChange]
    /// What differs in the form of datafiles, so that the changes do not say how.
    package let notCompared: [String]

    package init(_ changes: [ProjectChange], notCompared: [String] = []) {
        self.changes = changes
        self.notCompared = notCompared
    }

    /// Whether there are no differences.
    package var isEmpty: Bool { changes.isEmpty && notCompared.isEmpty }

    /// The whole report. Text is wrapped at the width; nil keeps each sentence in a line.
    package func text(as format: Format, width: Int? = nil, hasColor: Bool = false) -> String {
        switch format {
        case .text: isEmpty ? "no differences\n" : report.text(width: width, hasColor: hasColor)
        case .json: CommandResult.json(["changes": .array(values), "notCompared": .strings(notCompared)])
        case .markdown:
            isEmpty
                ? "No flag, rule or audience differs.\n"
                : report.markdown(limit: Self.markdownLimit, command: "turnout diff")
        }
    }

    /// The most characters of a report in Markdown. Comments on GitHub may have 65,536, and this is one with that of
    /// `turnout impact`.
    package static let markdownLimit = 15_000

    /// The changes by outermost part, in the order in which the parts first appear. That a part has another name now
    /// is said in place of its name.
    private var parts: [(name: String, changes: [ProjectChange])] {
        var parts: [(name: String, changes: [ProjectChange])] = []
        var places: [String: Int] = [:]
        for change in changes {
            let name = change.subject.first ?? ""
            if let place = places[name] {
                parts[place].changes.append(change)
            } else {
                places[name] = parts.count
                parts.append((name, [change]))
            }
        }
        return parts.map { name, changes in
            guard let rename = changes.first(where: { $0.kind == .renamed && $0.subject.count == 1 }) else {
                return (name, changes)
            }
            return (rename.sentence, changes.filter { $0 != rename })
        }
    }

    var report: Report {
        var report = Report(isList: true)
        report.sections = parts.map { name, changes in
            let lines = changes.map { change -> Report.Block in
                let style: TextStyle? =
                    switch change.kind {
                    case .added: .green
                    case .removed: .red
                    case .renamed, .changed: nil
                    }
                return .sentence(change.sentence, style, depth: 1, hang: 2)
            }
            var section = Report.Section(name, hang: 2, lines)
            section.omission = ("# more changes, of ", max(changes.count, 1), .init(name))
            return section
        }
        guard !notCompared.isEmpty else { return report }
        let unknown = notCompared.map { name -> Report.Block in
            .sentence("not compared: \(name), which differs in the form of datafiles", .yellow, hang: 2)
        }
        // First, because what they mean is not known.
        report.sections.insert(Report.Section(nil, unknown), at: 0)
        return report
    }

    /// The changes: kind, subject (a list), detail and environments.
    var values: [JSONValue] {
        changes.map { change in
            JSONValue.object([
                "kind": .string(change.kind.rawValue), "subject": .array(change.subject.map(JSONValue.string)),
                "detail": .string(change.detail),
                "environments": .array(change.environments.map(JSONValue.string)),
            ])
        }
    }
}
