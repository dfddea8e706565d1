import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout set`: changes one value of a project file in place.
enum SetCommand: Command {
    static let syntax = CommandSyntax(
        name: "set", summary: "Changes one value of a project file, and nothing else in it.",
        discussion: """
            PATH leads to the value: keys with dots between them, and rules by their keys. A path that does not \
            start with a key of projects starts in `flags`. Comments and layout stay. Missing keys are added, but no \
            names: a flag, variation, variable, experiment, group, holdout, audience or environment that does not \
            exist is an error. --add and --remove change single elements of a list, such as the users in an \
            allow_list; a missing list is created.

            Prints what the edit means, as `turnout diff` does. Nothing is written if the project would have errors, \
            or would not compile with its lock, or if a variable would have another type: programs that read the \
            former type would get their own default. Commands that change one file at the same time wait for each \
            other, up to 30 seconds. With -p -, the project is read from standard input, the edited one is written to \
            standard output, and what it means to standard error.
            """,
        operands: .init(
            "PATH [VALUE]", "The place, and the value in YAML or JSON.", count: 1...2, choices: .names(.places)),
        options: [
            .value("--add", "VALUE", "Add an element to the list at PATH, unless it has it.").short("a").repeatable(),
            .value("--remove", "VALUE", "Remove an element from the list at PATH.").short("r").repeatable(),
            .value("--after", "RULE", "Add to a list of rules after this one. Default: at the end."),
            .toggle("--force", "Accept that the type of a variable changes."), ProjectFileEdit.option,
            CommandResult.option,
        ],
        examples: [
            "turnout set checkout.rules.checkout_ab.traffic 25%": "Let a quarter of the users take part.",
            "turnout set checkout.in.production.enabled false": "Turn a flag off in production.",
            "turnout set checkout.rules.checkout_ab.allow_list.short --add ada --add grace":
                "Always give two users a variation.",
            "turnout set audiences.paying '{plan: [premium, gold]}'": "Replace a condition.",
        ],
        json: [
            "file, path": "As the command line names them.",
            "isChanged": "Whether the text of the file has changed.",
            "changes[]": "What the edit means, as `turnout diff` says it: kind, subject, detail and environments.",
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        let path = arguments.operands[0]
        let (added, removed) = (arguments.values("--add"), arguments.values("--remove"))
        let value = arguments.operands.dropFirst().first
        if value == nil, added.isEmpty, removed.isEmpty {
            throw UsageError.missing(anyOf: ["VALUE", "--add", "--remove"])
        }
        if value != nil, let option = ["--add", "--remove"].first(where: arguments.has) {
            throw UsageError.conflicting("VALUE", option)
        }
        let edit = try ProjectFileEdit.write(arguments, acceptsTypes: arguments.has("--force")) { edit in
            if let value { try edit.set(path, to: value) }
            for value in removed { try edit.remove(value, fromListAt: path) }
            let rule = arguments.value("--after")
            for value in added { try edit.add(value, toListAt: path, after: rule) }
        }
        let summary =
            !edit.isChanged ? "nothing was changed\n" : edit.changes.isEmpty ? "changed, with the same meaning\n" : ""
        try edit.print(
            summary, CommandResult(arguments), ["path": .string(path), "isChanged": .bool(edit.isChanged)])
        return 0
    }
}
