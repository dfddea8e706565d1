import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout promote`: copies the rules of an environment to another.
struct PromoteCommand: Command {
    static let syntax = CommandSyntax(
        name: "promote", summary: "Copies the rules of an environment to another.",
        discussion: """
            For each flag, the environment TO gets the rules, `else` and `enabled` of the environment FROM. An \
            environment without an entry under `in` has the rules that all environments share, and so does TO \
            afterwards. Ids are not copied: the rules of TO keep their own, and its users stay where they are as far \
            as the new rules allow. Prints what that means, as `turnout diff` does. Nothing is written if the project \
            would have errors, or would not compile with its lock.
            """,
        operands: .init("FROM TO", "Keys of environments.", count: 2...2),
        options: [
            ProjectFileEdit.option,
            .value("--flag", "KEY", "Only this flag.").short("f").repeatable(),
            .toggle("--dry-run", "Print what would change, and write nothing."), CommandResult.option,
        ],
        examples: [
            .init("turnout promote staging production --flag checkout", "Release what was tested in staging."),
            .init("turnout promote staging production --dry-run", "Look at what would change."),
        ],
        json: [
            .init("file, from, to", "As the command line names them."),
            .init("flags", "The keys of the flags whose rules were copied."),
            .init("changes[]", "What that means, as `turnout diff` says it: kind, subject, detail and environments."),
            .init("isWritten", "Whether the file was written; false with --dry-run."),
        ])

    private let file: String
    private let from: String
    private let to: String
    private let flagKeys: [String]
    private let isDryRun: Bool
    private let result: CommandResult

    init(_ arguments: ParsedArguments) throws {
        file = arguments["--project"]
        (from, to) = (arguments.operands[0], arguments.operands[1])
        flagKeys = arguments.values("--flag")
        isDryRun = arguments.has("--dry-run")
        result = CommandResult(arguments)
    }

    func run() throws -> Int32 {
        let (edit, promoted) = try FileLock.whileHeld(on: file) { try promote() }
        let names = promoted.joined(separator: ", ")
        let summary =
            promoted.isEmpty
            ? "nothing to promote" : isDryRun ? "would promote \(names); nothing was written" : "promoted \(names)"
        try edit.print(
            summary + "\n", result,
            [
                "from": .string(from), "to": .string(to), "flags": .strings(promoted), "isWritten": .bool(!isDryRun),
            ], isWritten: !isDryRun)
        return 0
    }

    /// Returns the edit, and the keys of the flags whose rules were copied.
    private func promote() throws -> (ProjectFileEdit, [String]) {
        var edit = try ProjectFileEdit(file)
        let project = try edit.source.validProject()
        try Self.check([from, to], among: project.environments.map(\.key), "environment")
        try Self.check(flagKeys, among: project.flags.map(\.key), "flag")
        var promoted: [String] = []
        for flag in project.flags where flagKeys.isEmpty || flagKeys.contains(flag.key) {
            if try Self.promote(flag.key, from: from, to: to, in: &edit) { promoted.append(flag.key) }
        }
        try edit.check()
        if !isDryRun { try edit.write() }
        return (edit, promoted)
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

    private static func check(_ names: [String], among known: [String], _ kind: String) throws(CommandError) {
        for name in names where !known.contains(name) {
            throw CommandError(
                "the project has no \(kind) \"\(name)\"", advice: Spelling.suggestion(for: name, among: known))
        }
    }
}
