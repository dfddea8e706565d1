import TurnoutEngine
import TurnoutFlags

/// `turnout set`: changes one value of a project file in place.
struct SetCommand: Command {
    static let syntax = CommandSyntax(
        name: "set", summary: "Changes one value of a project file, and nothing else in it.",
        discussion: """
            PATH leads to the value: keys with dots between them, and rules by their keys. A path that does not \
            start with a key of projects starts in `flags`. Comments and layout stay. Missing keys are added, but no \
            names: a flag, variation, variable, experiment, group, holdout, audience or environment that does not \
            exist is an error. Nothing is written if the project would have errors. Commands that change one file at \
            the same time wait for each other, up to 30 seconds.
            """,
        operands: .init("PATH VALUE", "The place, and the value in YAML or JSON.", count: 2...2),
        options: [
            .value("--project", "FILE", "The project file.").short("p").byDefault(ProjectSource.defaultName)
        ],
        examples: [
            .init("turnout set checkout.rules.checkout_ab.traffic 25%", "Let a quarter of the users take part."),
            .init("turnout set checkout.in.production.enabled false", "Turn a flag off in production."),
            .init("turnout set audiences.paying '{plan: [premium, gold]}'", "Replace a condition."),
        ])

    private let file: String
    private let path: String
    private let value: String

    init(_ arguments: ParsedArguments) throws {
        file = arguments["--project"]
        (path, value) = (arguments.operands[0], arguments.operands[1])
    }

    func run() throws -> Int32 {
        try FileLock.whileHeld(on: file) {
            var edit = try ProjectFileEdit(file)
            try edit.set(path, to: value)
            try edit.write()
        }
        return 0
    }
}
