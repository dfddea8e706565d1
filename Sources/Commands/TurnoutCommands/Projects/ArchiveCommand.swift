import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout archive`: ends a flag, which stays in the project file.
enum ArchiveCommand: Command {
    static let syntax = CommandSyntax(
        name: "archive", summary: "Turns a flag off everywhere, and archives its experiments.",
        discussion: """
            Everyone gets `off` in all environments, and the experiments of the flag get the status `archived`. \
            Programs that still ask for the flag keep working, and rules and comments stay. When no program asks for \
            it any more, remove it from the file: `turnout generate --report` finds uses. Prints what the edit means, \
            as `turnout diff` does.
            """,
        operands: .init("flag KEY", "The flag.", count: 2...2, choices: .words(["flag"], then: .flags)),
        options: [ProjectFileEdit.option, CommandResult.option],
        examples: ["turnout archive flag dark_mode": "End a flag."],
        json: [
            "file, flag": "As the command line names them.",
            "isChanged": "Whether the text of the file has changed.",
            "changes[]": "What the edit means, as `turnout diff` says it: kind, subject, detail and environments.",
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        try checkAction(arguments, among: ["flag"], "flag")
        let key = arguments.operands[1]
        let edit = try ProjectFileEdit.write(arguments) { edit in
            try PromoteCommand.check([key], among: edit.source.validProject().flags.map(\.key), "flag")
            try archive([.key("flags"), .key(key)], in: &edit)
        }
        try edit.print(
            edit.isChanged ? "" : "nothing was changed\n", CommandResult(arguments),
            ["flag": .string(key), "isChanged": .bool(edit.isChanged)])
        return 0
    }

    private static func archive(_ flag: [EditPath.Step], in edit: inout ProjectFileEdit) throws {
        let root = edit.source.root
        let environments = root.value(at: EditPath(flag))?["in"]?.members.map(\.key.text) ?? []
        for place in [flag] + environments.map({ flag + [.key("in"), .key($0)] }) {
            // An environment that does not say whether the flag is on does what the flag says.
            let enabled = EditPath(place + [.key("enabled")])
            if place == flag || root.value(at: enabled) != nil {
                try edit.set(enabled, to: Node(.scalar("false", isQuoted: false)))
            }
            let rules = root.value(at: EditPath(place + [.key("rules")]))?.elements ?? []
            for (index, rule) in rules.enumerated() where rule["delivery"] == nil {
                let status = EditPath(place + [.key("rules"), .index(index), .key("status")])
                try edit.set(status, to: Node(.scalar(Rule.Status.archived.spelling, isQuoted: false)))
            }
        }
    }
}
