import TurnoutCommandIO
import TurnoutFlags

/// `turnout completions`: prints completion scripts and manual pages.
struct CompletionsCommand: Command {
    static let syntax = CommandSyntax(
        name: "completions", summary: "Prints a completion script for a shell, or the manual pages.",
        discussion: """
            `make install` installs the scripts for all shells and the manual pages. Without it:

              bash: turnout completions bash > ~/.local/share/bash-completion/completions/turnout
              zsh:  turnout completions zsh > ~/.zfunc/_turnout, with ~/.zfunc in $fpath
              fish: turnout completions fish > ~/.config/fish/completions/turnout.fish
            """,
        operands: .init(
            "bash|zsh|fish", "The shell.", count: 0...1, words: ShellCompletions.Shell.allCases.map(\.rawValue)),
        options: [.value("--manual", "FOLDER", "Write the manual pages into this folder instead.")],
        examples: [
            .init("source <(turnout completions bash)", "Complete in this shell."),
            .init("turnout completions --manual man1", "Write man1/turnout.1, man1/turnout-decide.1 and so on."),
        ])

    private enum Action {
        case script(ShellCompletions.Shell)
        case manual(folder: String)
    }

    private let action: Action

    init(_ arguments: ParsedArguments) throws {
        if let folder = arguments.value("--manual") {
            guard let operand = arguments.operands.first else {
                action = .manual(folder: folder)
                return
            }
            throw UsageError.conflicting(operand, "--manual")
        }
        let names = ShellCompletions.Shell.allCases.map(\.rawValue)
        guard let name = arguments.operands.first else { throw UsageError.missing(anyOf: names) }
        guard let shell = ShellCompletions.Shell(rawValue: name) else {
            throw UsageError.invalidValue(
                option: "the shell", value: name, expected: "one of " + names.joined(separator: ", "),
                nearest: Spelling.nearest(to: name, among: names))
        }
        action = .script(shell)
    }

    func run() throws -> Int32 {
        switch action {
        case .script(let shell):
            guard StandardStream.output.put(ShellCompletions(Tool.syntax).script(for: shell)) else {
                throw CommandError.unwritten("the script")
            }
        case .manual(let folder):
            try OutputFile.createFolder(folder)
            for page in ManualPage.all(for: Tool.syntax, version: Tool.version) {
                try OutputFile.write(Array(page.text.utf8), to: "\(folder)/\(page.name).1")
            }
        }
        return 0
    }
}
