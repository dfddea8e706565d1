import TurnoutCommandIO
import TurnoutEngine

/// `turnout inspect`: shows the contents of a datafile.
struct InspectCommand: Command {
    static let syntax = CommandSyntax(
        name: "inspect", summary: "Shows the contents of a datafile, and warnings about it.",
        discussion: """
            Lists flags with their rules, each rule's audience in words and its traffic as a bar, stand-alone \
            experiments, groups, holdouts, audiences, and warnings about probable mistakes.
            """,
        options: DatafileArguments.options + [
            .value("--flag", "KEY", "Show only this flag.").short("f").repeatable(), CommandResult.option,
        ],
        examples: [
            .init("turnout inspect --datafile shop.json", "Everything.")
        ],
        json: [
            .init("project, account, revision, version, region", "Of the datafile."),
            .init("environment", "Its environment; null if it does not say."),
            .init("flags[]", "key, id, variables and rules, in the order of evaluation."),
            .init("flags[].variables[]", "key, type and default (its text)."),
            .init(
                "flags[].rules[]",
                "key, id, kind, status, audience (in words; null for everyone), traffic and holdouts (keys)."),
            .init("flags[].rules[].traffic[]", "variation (null for none), and its buckets from start to before end."),
            .init("experiments[], holdouts[]", "Experiments without a flag, and holdouts, as rules."),
            .init("groups[]", "id, isExclusive and experiments (keys)."),
            .init("audiences[]", "id, name and condition (in words)."),
            .init("warnings", "A list of sentences."),
        ])

    private let project: Project
    private let flagKeys: [String]
    private let result: CommandResult

    init(_ arguments: ParsedArguments) async throws {
        project = try await DatafileArguments.project(arguments)
        flagKeys = arguments.values("--flag")
        result = CommandResult(arguments)
        try project.checkFlags(flagKeys)
    }

    func run() throws -> Int32 {
        let terminal = Terminal(.output)
        var report = ProjectReport(project, width: terminal.lineWidth, hasColor: terminal.hasColor)
        report.write(flagKeys: flagKeys)
        let members = result.isJSON ? ProjectReport.members(of: project, flagKeys: flagKeys) : [:]
        try result.print(report.text, members, "the report")
        return 0
    }
}
