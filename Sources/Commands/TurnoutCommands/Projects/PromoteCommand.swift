import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout promote`: copies the rules of an environment to another.
enum PromoteCommand: Command {
    static let syntax = CommandSyntax(
        name: "promote", summary: "Copies the rules of an environment to another.",
        discussion: """
            For each flag, the environment TO gets the rules, `else` and `enabled` of the environment FROM. An \
            environment without an entry under `in` has the rules that all environments share, and so does TO \
            afterwards. Ids are not copied: the rules of TO keep their own, and its users stay where they are as far \
            as the new rules allow. Prints what that means, as `turnout diff` does. Nothing is written if the project \
            would have errors, or would not compile with its lock.
            """,
        operands: .init("FROM TO", "Keys of environments.", count: 2...2, choices: .names(.environments)),
        options: [
            ProjectFileEdit.option,
            .value("--flag", "KEY", "Only this flag.").short("f").repeatable(),
            .toggle("--dry-run", "Print what would change, and write nothing."), CommandResult.option,
        ],
        examples: [
            "turnout promote staging production --flag checkout": "Release what was tested in staging.",
            "turnout promote staging production --dry-run": "Look at what would change.",
        ],
        json: [
            "file, from, to": "As the command line names them.",
            "flags": "The keys of the flags whose rules were copied.",
            "changes[]": "What that means, as `turnout diff` says it: kind, subject, detail and environments.",
            "isWritten": "Whether the file was written; false with --dry-run.",
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        let (from, to) = (arguments.operands[0], arguments.operands[1])
        let isWritten = !arguments.has("--dry-run")
        let (edit, promoted) = try FileLock.whileHeld(on: arguments["--project"]) {
            var edit = try ProjectFileEdit(arguments["--project"])
            let promoted = try promote(arguments.values("--flag"), from: from, to: to, in: &edit)
            try edit.check()
            if isWritten { try edit.write() }
            return (edit, promoted)
        }
        let names = promoted.joined(separator: ", ")
        let summary =
            promoted.isEmpty
            ? "nothing to promote" : isWritten ? "promoted \(names)" : "would promote \(names); nothing was written"
        try edit.print(
            summary + "\n", CommandResult(arguments),
            ["from": .string(from), "to": .string(to), "flags": .strings(promoted), "isWritten": .bool(isWritten)],
            isWritten: isWritten)
        return 0
    }

    /// Returns the keys of the flags whose rules were copied.
    private static func promote(
        _ flagKeys: [String], from: String, to: String, in edit: inout ProjectFileEdit
    ) throws(CommandError) -> [String] {
        let project = try edit.source.validProject()
        try check([from, to], among: project.environments.map(\.key), "environment")
        try check(flagKeys, among: project.flags.map(\.key), "flag")
        var promoted: [String] = []
        for flag in project.flags where flagKeys.isEmpty || flagKeys.contains(flag.key) {
            if try promote(flag.key, from: from, to: to, in: &edit) { promoted.append(flag.key) }
        }
        return promoted
    }

    /// Copies the entry of a flag. Returns false if both environments have the same rules already.
    private static func promote(
        _ flag: String, from: String, to: String, in edit: inout ProjectFileEdit
    ) throws(CommandError) -> Bool {
        let entries = edit.source.root["flags"]?[flag]?["in"]
        let (source, target) = (entries?[from], entries?[to])
        guard source?.jsonValue != target?.jsonValue else { return false }
        let path = EditPath([.key("flags"), .key(flag), .key("in")])
        let place = EditPath(path.steps + [.key(to)])
        if source != nil {
            try edit.copy(from: EditPath(path.steps + [.key(from)]), to: place)
        } else {
            // An entry for no environment would mean nothing.
            try edit.apply(.remove, at: entries?.members.count == 1 ? path : place)
        }
        return true
    }

    /// Throws if a command line names something that the project does not have.
    static func check(_ names: [String], among known: [String], _ kind: String) throws(CommandError) {
        for name in names where !known.contains(name) {
            throw CommandError(
                "the project has no \(kind) \"\(name)\"", advice: Spelling.suggestion(for: name, among: known))
        }
    }
}
