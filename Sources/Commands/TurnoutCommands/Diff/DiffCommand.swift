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
            """,
        operands: .init("OLD NEW", "Project files or datafiles; - reads standard input.", count: 2...2),
        options: [
            .value("--output", "FORMAT", "How to print.").short("o").oneOf(ChangeReport.Format.allCases.map(\.rawValue))
                .byDefault("text"),
            .toggle("--fail", "Exit with code 3 if there are differences."),
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
        ])

    private let changes: [ProjectChange]
    private let format: ChangeReport.Format
    private let failsIfDifferent: Bool

    init(_ arguments: ParsedArguments) throws {
        if arguments.operands == ["-", "-"] { throw UsageError.conflicting("OLD -", "NEW -") }
        let (old, new) = (try ProjectSource(arguments.operands[0]), try ProjectSource(arguments.operands[1]))
        changes =
            ProjectComparison(
                from: try old.validProject(), to: try new.validProject(), locks: (old.lock, new.lock)
            ).changes
        format = ChangeReport.Format(rawValue: arguments["--output"]) ?? .text
        failsIfDifferent = arguments.has("--fail")
    }

    func run() throws -> Int32 {
        let report = ChangeReport(changes)
        let terminal = Terminal(.output)
        let text = report.text(as: format, width: terminal.lineWidth, hasColor: terminal.hasColor)
        guard StandardStream.output.put(text) else {
            throw CommandError.unwritten("the differences")
        }
        return failsIfDifferent && !report.isEmpty ? Self.differenceExitCode : 0
    }
}
