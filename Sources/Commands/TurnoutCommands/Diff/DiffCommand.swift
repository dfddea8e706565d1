import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout diff`: says what an edit of a project means.
struct DiffCommand: Command {
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
        operands: .init("OLD NEW", "Project files or datafiles; - reads standard input.", count: 2...2),
        options: [
            .value("--output", "FORMAT", "How to print.").short("o").oneOf(ChangeReport.Format.allCases.map(\.rawValue))
                .byDefault("text"),
            .toggle("--fail", "Exit with code 3 also if there are other differences."),
        ],
        examples: [
            .init("git show main:flags.yaml | turnout diff - flags.yaml", "Compare with another branch."),
            .init("turnout diff old.json new.json --output markdown", "Write a comment for a pull request."),
        ],
        json: [
            .init("changes[].kind", "added, removed, renamed or changed."),
            .init("changes[].subject", "A list of names, from the outermost part to the innermost."),
            .init("changes[].detail", "What changed, as in the text; empty if the kind says it."),
            .init("changes[].environments", "The keys of the environments; empty if it does not depend on them."),
            .init("notCompared", "What differs in `datafile`, so that the changes do not say how; a list."),
        ])

    private let report: ChangeReport
    private let format: ChangeReport.Format
    private let failsIfDifferent: Bool

    init(_ arguments: ParsedArguments) throws {
        if arguments.operands == ["-", "-"] { throw UsageError.conflicting("OLD -", "NEW -") }
        let (old, new) = (try ProjectSource(arguments.operands[0]), try ProjectSource(arguments.operands[1]))
        let comparison = ProjectComparison(
            from: try old.validProject(), to: try new.validProject(), locks: (old.lock, new.lock))
        report = ChangeReport(comparison.changes, notCompared: comparison.notCompared)
        format = ChangeReport.Format(rawValue: arguments["--output"]) ?? .text
        failsIfDifferent = arguments.has("--fail")
    }

    func run() throws -> Int32 {
        let terminal = Terminal(.output)
        let text = report.text(as: format, width: terminal.lineWidth, hasColor: terminal.hasColor)
        guard StandardStream.output.put(text) else {
            throw CommandError.unwritten("the differences")
        }
        let fails = !report.notCompared.isEmpty || failsIfDifferent && !report.isEmpty
        return fails ? Self.differenceExitCode : 0
    }
}
