import TurnoutCommandIO
import TurnoutEngine

/// `turnout init`: writes a project file to start from.
struct InitCommand: Command {
    static let syntax = CommandSyntax(
        name: "init", summary: "Writes a project file to start from.",
        discussion: """
            Writes flags.yaml, with comments that explain each part. An existing file is kept. The next steps are \
            `turnout lint` and `turnout compile`. --ci prints a workflow that checks each pull request.
            """,
        operands: .init("[FOLDER]", "Where to write flags.yaml. Default: the current folder.", count: 0...1),
        options: [
            .value("--name", "KEY", "The key of the project. Default: that of the example, shop."),
            .value("--ci", "SYSTEM", "Print a workflow for this system, and write nothing.").oneOf("github", "gitlab"),
            CommandResult.option,
        ],
        examples: [
            .init("turnout init --name shop", "Write flags.yaml."),
            .init("turnout init --ci github > .github/workflows/flags.yaml", "Check pull requests in GitHub Actions."),
        ],
        json: [
            .init("file", "The project file that was written.")
        ])

    private let folder: String
    private let name: String
    private let system: String?
    private let result: CommandResult

    init(_ arguments: ParsedArguments) throws {
        folder = arguments.operands.first ?? "."
        name = arguments.value("--name") ?? "shop"
        system = arguments.value("--ci")
        result = CommandResult(arguments)
        if system != nil, result.isJSON { throw UsageError.conflicting("--ci", "--output json") }
        guard name == name.printable else {
            throw UsageError.invalidValue(
                option: "--name", value: name, expected: "text without control characters", nearest: nil)
        }
    }

    func run() throws -> Int32 {
        if let system {
            try print(system == "gitlab" ? ProjectTemplate.gitlab : ProjectTemplate.github)
            return 0
        }
        let file = folder == "." ? ProjectSource.defaultName : "\(folder)/\(ProjectSource.defaultName)"
        guard !OutputFile.exists(file) else {
            throw CommandError(
                "\(file): exists already, and was not changed", advice: "Choose another folder, or edit the file.")
        }
        if folder != "." { try OutputFile.createFolder(folder) }
        try OutputFile.write(Array(ProjectTemplate.project(named: name).utf8), to: file)
        let text = """
            \(file) is written. Next:
              turnout lint \(file)
              turnout compile \(file)

            """
        try result.print(text, ["file": .string(file)], "the text")
        return 0
    }

    private func print(_ text: String) throws(CommandError) {
        guard StandardStream.output.put(text) else { throw .unwritten("the text") }
    }
}
