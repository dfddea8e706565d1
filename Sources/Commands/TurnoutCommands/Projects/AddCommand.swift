import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout add`: adds a flag to a project file.
enum AddCommand: Command {
    static let syntax = CommandSyntax(
        name: "add", summary: "Adds a flag to a project file, and changes nothing else in it.",
        discussion: """
            The flag is the last one of the file. Everyone gets `off` until it has rules: `turnout set KEY.rules \
            '[{delivery: beta, serve: on, traffic: 10%}]'` adds the first one. Prints what the new flag means, as \
            `turnout diff` does. Nothing is written if the project would have errors.
            """,
        operands: .init("flag KEY", "The key of the new flag.", count: 2...2, choices: .words(["flag"], then: .flags)),
        options: [
            .value(
                "--type", "TYPE",
                "What programs read: whether the flag is on, or the variable `value`, which is added with an empty "
                    + "default. Clients of OpenFeature read the same."
            ).oneOf("boolean", "string", "integer", "double", "json").byDefault("boolean"),
            .value("--variation", "KEY", "A variation beside `off`.").repeatable().byDefault("on"),
            ProjectFileEdit.option, CommandResult.option,
        ],
        examples: [
            "turnout add flag dark_mode": "A flag that is on or off.",
            "turnout add flag banner --type string --variation short --variation long": "A flag with texts.",
        ],
        json: [
            "file, flag": "As the command line names them.",
            "changes[]": "What the edit means, as `turnout diff` says it: kind, subject, detail and environments.",
        ])

    /// The default of a new flag's variable, by type. Whether a flag is on needs no variable.
    private static let defaults = ["string": "", "integer": "0", "double": "0.0", "json": "{}"]

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        try checkAction(arguments, among: ["flag"], "flag")
        var flag = AuthoredFlag(key: arguments.operands[1])
        guard !flag.key.isEmpty else { throw UsageError.emptyValue(option: "KEY") }
        if let type = AuthoredVariable.ValueType(rawValue: arguments["--type"]), let value = defaults[type.rawValue] {
            flag.variables = [AuthoredVariable(key: "value", type: type, defaultValue: value)]
        }
        let variations = arguments.values("--variation").filter { $0 != AuthoredVariation.offKey }
        flag.variations = variations.map { AuthoredVariation(key: $0) }
        let edit = try ProjectFileEdit.write(arguments) { edit in
            guard try !edit.source.validProject().flags.contains(where: { $0.key == flag.key }) else {
                throw CommandError(
                    "the project has a flag \"\(flag.key)\" already", advice: "`turnout set` changes its values.")
            }
            let place = EditPath([.key("flags"), .key(flag.key)])
            try edit.set(place, to: ProjectWriter.flag(flag, environments: []))
        }
        try edit.print("", CommandResult(arguments), ["flag": .string(flag.key)])
        return 0
    }
}
