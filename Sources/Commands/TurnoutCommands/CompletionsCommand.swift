import TurnoutCommandIO
import TurnoutFlags

/// `turnout completions`: prints completion scripts and manual pages.
enum CompletionsCommand: Command {
    static let syntax = CommandSyntax(
        name: "completions", summary: "Prints a completion script for a shell, or the manual pages.",
        discussion: """
            `make install` installs the scripts for all shells and the manual pages. Without it:

              bash: turnout completions bash > ~/.local/share/bash-completion/completions/turnout
              zsh:  turnout completions zsh > ~/.zfunc/_turnout, with ~/.zfunc in $fpath
              fish: turnout completions fish > ~/.config/fish/completions/turnout.fish
            """,
        operands: .init(
            "bash|zsh|fish", "The shell.", count: 0...Int.max,
            choices: .words(Shell.allCases.map(\.rawValue))),
        options: [.value("--manual", "FOLDER", "Write the manual pages into this folder instead.")],
        examples: [
            "source <(turnout completions bash)": "Complete in this shell.",
            "turnout completions --manual man1": "Write man1/turnout.1, man1/turnout-decide.1 and so on.",
        ])

    /// The operand with which the scripts ask what can come next on a command line, whose words follow it.
    private static let candidates = "candidates"

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        guard let folder = arguments.value("--manual") else {
            guard arguments.operands.first == candidates else {
                try StandardStream.output.print(try shell(arguments).completionScript, "the script")
                return 0
            }
            let lines = Completion(syntax: Tool.syntax).lines(for: Array(arguments.operands.dropFirst()))
            try StandardStream.output.print(lines.map { $0 + "\n" }.joined(), "the candidates")
            return 0
        }
        if let operand = arguments.operands.first { throw UsageError.conflicting(operand, "--manual") }
        try OutputFile.createFolder(folder)
        for page in ManualPage.all(for: Tool.syntax, version: Tool.version) {
            try OutputFile.write(Array(page.text.utf8), to: "\(folder)/\(page.name).1")
        }
        return 0
    }

    private static func shell(_ arguments: ParsedArguments) throws(UsageError) -> Shell {
        let names = Shell.allCases.map(\.rawValue)
        guard let name = arguments.operands.first else { throw .missing(anyOf: names) }
        if arguments.operands.count > 1 { throw .unexpectedOperand(arguments.operands[1]) }
        if let shell = Shell(rawValue: name) { return shell }
        throw .invalidValue(
            option: "the shell", value: name, expected: "one of " + names.joined(separator: ", "),
            nearest: Spelling.nearest(to: name, among: names))
    }
}
