import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// What can come next on a command line: commands, options, their values, and names of the project file at hand.
///
/// The scripts of the shells ask for it each time, so that the names are those of the moment.
struct Completion {
    /// The line that asks the shell to complete the names of files.
    static let files = ":files"

    let syntax: ToolSyntax

    /// The words that can stand in place of the last one, each in a line, with a tab before its meaning.
    ///
    /// - Parameter words: The words after the tool's name, up to the cursor. The last one may be empty.
    /// - Returns: The lines, in the order in which help texts list them.
    func lines(for words: [String]) -> [String] {
        // bash makes three words of `--output=json`; in other shells it is one.
        var before = words.dropLast().filter { $0 != "=" }
        var (current, head) = (words.last == "=" ? "" : words.last ?? "", "")
        if current.utf8.starts(with: "--".utf8), let value = current.divided(at: "=").tail {
            before.append(current.divided(at: "=").head)
            (head, current) = (before[before.count - 1] + "=", value)
        }
        return candidates(after: before, current).compactMap { candidate in
            if candidate.word == Self.files { return Self.files }
            guard candidate.word.utf8.starts(with: current.utf8) else { return nil }
            return head + candidate.word + (candidate.meaning.isEmpty ? "" : "\t" + candidate.meaning)
        }
    }

    private typealias Candidate = (word: String, meaning: String)

    private var commands: [Candidate] { syntax.commands.map { ($0.name, $0.summary) } }

    private func candidates(after words: [String], _ current: String) -> [Candidate] {
        guard let name = words.first else {
            return commands + [("help", "Explains a command."), ("--help", ""), ("--version", "")]
        }
        if name == "help" { return words.count == 1 ? commands : [] }
        guard let command = syntax.commands.first(where: { $0.name == name }) else { return [] }
        let arguments = words.dropFirst()
        if let option = arguments.last.flatMap(command.option), option.placeholder != nil {
            return values(of: option, current, in: arguments)
        }
        guard current.first != "-" else {
            let others = command.options.filter { $0.isRepeatable || !arguments.contains(where: $0.matches) }
            return others.map { ($0.name, $0.help) } + [("--help", "Show this help.")]
        }
        return operands(of: command, current, in: arguments)
    }

    private func values(
        of option: CommandOption, _ current: String, in arguments: ArraySlice<String>
    ) -> [Candidate] {
        // Of several values, the last is completed.
        let done =
            option.isCommaSeparated ? current.split(separator: ",", omittingEmptySubsequences: false).dropLast() : []
        let head = done.map { $0 + "," }.joined()
        let words =
            option.allowedValues + (option.name == "--flag" ? names(.flags, current, arguments) : [])
            + (option.name == "--environment" ? names(.environments, current, arguments) : [])
        let isFile = ["FILE", "FOLDER", "PATH"].contains(option.placeholder)
        return words.map { (head + $0, "") } + (isFile ? [(Self.files, "")] : [])
    }

    private func operands(
        of command: CommandSyntax, _ current: String, in arguments: ArraySlice<String>
    ) -> [Candidate] {
        guard let operands = command.operands else { return [] }
        var (position, isValue) = (0, false)
        for argument in arguments {
            let option = isValue ? nil : command.option(argument)
            if option == nil, !isValue, argument.first != "-" { position += 1 }
            isValue = option?.placeholder != nil
        }
        guard position < operands.count.upperBound else { return [] }
        switch operands.choices {
        case .files: return [(Self.files, "")]
        case .words(let words, _) where position == 0: return words.map { ($0, "") }
        case .words(_, let kind?): return names(kind, current, arguments).map { ($0, "") }
        case .words: return [(Self.files, "")]
        case .names(.places) where position > 0: return []
        case .names(let kind): return names(kind, current, arguments).map { ($0, "") }
        }
    }

    // MARK: Names

    /// The names in the project file or datafile that the command line has, or in the current folder's.
    private func names(
        _ kind: CommandSyntax.Operands.Names, _ current: String, _ arguments: ArraySlice<String>
    ) -> [String] {
        let named = zip(arguments, arguments.dropFirst()).first {
            ["--project", "-p", "--datafile", "-d", "--flags"].contains($0.0)
        }
        let name = named?.1 ?? ProjectSource.defaultName
        // Standard input is the terminal in which a person types.
        guard InputFile.isRegular(name), let source = try? ProjectSource(name) else { return [] }
        let names =
            switch kind {
            case .flags: source.project?.flags.map(\.key) ?? keys(source.root["flags"])
            case .environments: source.project?.environments.map(\.key) ?? keys(source.root["environments"])
            case .places: places(current, in: source.root)
            }
        // Shells would take other characters for a part of their language.
        return names.filter { $0.utf8.allSatisfy { Self.plain.contains($0) } }
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./@%+,:".utf8)

    private func keys(_ node: Node?) -> [String] { node?.members.map(\.key.text) ?? [] }

    /// The places one step below the one before the last dot, with a dot where the next step begins. A path may leave
    /// out `flags`.
    private func places(_ current: String, in root: Node) -> [String] {
        guard let dot = current.lastIndex(of: ".") else { return steps(of: root) + steps(of: root["flags"]) }
        guard let path = try? EditPath(String(current[..<dot])) else { return [] }
        return steps(of: root.value(at: path) ?? root["flags"]?.value(at: path)).map { current[...dot] + $0 }
    }

    private func steps(of node: Node?) -> [String] {
        guard let node else { return [] }
        return node.steps.map { step in
            let next = try? node.value(at: EditPath(step))
            return next?.steps.isEmpty == false ? step + "." : step
        }
    }
}
