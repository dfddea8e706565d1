import TurnoutFlags

/// The syntax of the tool and its commands.
package struct ToolSyntax: Sendable, Equatable {
    package let name: String
    /// The purpose of the tool, in one line.
    package let summary: String
    /// In the order of the overview.
    package let commands: [CommandSyntax]

    /// The meaning of the exit codes of all commands.
    static let exitCodes =
        "0 on success, 1 if the command failed, 2 if the command line is invalid, 3 if the command did its work and "
        + "found what it checks for: a difference, a finding, or a file that is out of date."

    package init(name: String, summary: String, commands: [CommandSyntax]) {
        self.name = name
        self.summary = summary
        self.commands = commands
    }

    /// The request that the arguments of the tool make.
    package enum Request: Sendable, Equatable {
        /// Show ``ToolSyntax/help(width:hasColor:)``.
        case overview
        case version
        /// Show ``CommandSyntax/help(width:hasColor:)``.
        case help(CommandSyntax)
        /// Pass the arguments to ``CommandSyntax/parse(_:)``.
        case command(CommandSyntax, arguments: [String])
    }

    /// Reads the arguments after the tool's name. Without arguments, the request is the overview.
    package func request(for arguments: [String]) throws(UsageError) -> Request {
        guard let first = arguments.first else { return .overview }
        switch first {
        case "--version", "-v": return .version
        case "--help", "-h": return .overview
        case "help":
            guard let topic = arguments.dropFirst().first(where: { $0 != "--help" && $0 != "-h" }) else {
                return .overview
            }
            return .help(try command(named: topic))
        default: return .command(try command(named: first), arguments: Array(arguments.dropFirst()))
        }
    }

    private func command(named name: String) throws(UsageError) -> CommandSyntax {
        if let command = commands.first(where: { $0.name == name }) { return command }
        // People write options without dashes, and commands with them.
        let nearest = Spelling.nearest(to: name, among: commands.map(\.name) + ["help", "--help", "--version"])
        guard name.utf8.first != UInt8(ascii: "-") else { throw .unknownOption(name, nearest: nearest) }
        throw .unknownCommand(name, nearest: nearest)
    }

    /// The text of `turnout --help`.
    package func help(width: Int, hasColor: Bool = false) -> String {
        var help = HelpText(width: width, hasColor: hasColor)
        help.addUsage("\(name) COMMAND [OPTIONS]")
        help.addParagraphs(summary)
        help.addHeading("Commands")
        help.addEntries(commands.map { ($0.name, $0.summary) })
        help.addParagraphs("Exit codes: " + Self.exitCodes)
        help.addParagraphs("`\(name) help COMMAND` explains a command; `\(name) --version` names this release.")
        return help.text
    }
}
