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
            .value("--flag", "KEY", "Show only this flag.").short("f").repeatable()
        ],
        examples: [.init("turnout inspect --datafile shop.json", "Everything.")])

    private let project: Project
    private let flagKeys: [String]

    init(_ arguments: ParsedArguments) async throws {
        project = try await DatafileArguments.project(arguments)
        flagKeys = arguments.values("--flag")
        try project.checkFlags(flagKeys)
    }

    func run() throws -> Int32 {
        var report = ProjectReport(project, hasColor: Terminal(.output).hasColor)
        report.write(flagKeys: flagKeys)
        guard StandardStream.output.put(report.text) else {
            throw CommandError.unwritten("the report")
        }
        return 0
    }
}
