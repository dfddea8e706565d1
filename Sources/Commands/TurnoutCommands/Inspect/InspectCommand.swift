import TurnoutEngine

/// `turnout inspect`: what is in a datafile.
struct InspectCommand {
    static let syntax = CommandSyntax(
        name: "inspect", summary: "Shows what is in a datafile, and what is doubtful about it.",
        discussion: """
            Lists flags with their rules, each rule's audience in words and its traffic as a bar, stand-alone \
            experiments, groups, holdouts, audiences, and warnings: everything that is accepted but probably not meant.
            """,
        options: [
            UserArguments.datafile,
            .value("--flag", "KEY", "Show only this flag.").short("f").repeatable(),
        ],
        examples: [.init("turnout inspect --datafile shop.json", "Everything.")])

    private let project: Project
    private let flagKeys: [String]

    init(_ arguments: ParsedArguments) throws {
        project = try Project.load(arguments["--datafile"])
        flagKeys = arguments.values("--flag")
        try project.checkFlags(flagKeys)
    }

    func run() throws -> Int32 {
        var report = ProjectReport(project, hasColor: Terminal(.output).hasColor)
        report.write(flagKeys: flagKeys)
        guard StandardStream.output.put(report.text) else {
            throw CommandError("the report cannot be written", cure: "Is the disk full?")
        }
        return 0
    }
}
