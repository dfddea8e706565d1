import TurnoutEngine

/// The `turnout` executable: finds the command, runs it, and turns what went wrong into an exit code.
public enum Tool {
    /// The version that `--version` prints.
    package static let version = "0.1.0"

    /// Runs a command line.
    ///
    /// - Parameter arguments: Everything after the name of the executable.
    /// - Returns: The exit code: 0, 1 if something went wrong, 2 if the command line cannot be understood.
    public static func run(_ arguments: [String]) async -> Int32 {
        var invocation = syntax.name
        do {
            switch try syntax.request(for: arguments) {
            case .overview: print(syntax.help(width: width, hasColor: hasColor))
            case .version: print("turnout \(version)\n")
            case .help(let command): print(command.help(width: width, hasColor: hasColor))
            case .command(let command, let rest):
                invocation = command.invocation
                return try await run(command, rest)
            }
            return 0
        } catch let error as UsageError {
            StandardStream.error.put(error.report(from: invocation))
            return UsageError.exitCode
        } catch let error as CommandError {
            StandardStream.error.put(error.report)
            return CommandError.exitCode
        } catch {
            StandardStream.error.put("turnout: \(error)\n")
            return CommandError.exitCode
        }
    }

    private static let syntax = ToolSyntax(
        name: "turnout", summary: "Decides feature flags and experiments from a datafile, and explains why.",
        commands: [
            DecideCommand.syntax, ExplainCommand.syntax, InspectCommand.syntax, ProfilesCommand.syntax,
            RolloutCommand.syntax,
        ])

    private static func run(_ command: CommandSyntax, _ rest: [String]) async throws -> Int32 {
        guard case .run(let arguments) = try command.parse(rest) else {
            print(command.help(width: width, hasColor: hasColor))
            return 0
        }
        switch command.name {
        case DecideCommand.syntax.name: return try await DecideCommand(arguments).run()
        case ExplainCommand.syntax.name: return try ExplainCommand(arguments).run()
        case InspectCommand.syntax.name: return try InspectCommand(arguments).run()
        case ProfilesCommand.syntax.name: return try ProfilesCommand(arguments).run()
        default: return try RolloutCommand(arguments).run()
        }
    }

    private static func print(_ text: String) { StandardStream.output.put(text) }
    private static var width: Int { Terminal(.output).width }
    private static var hasColor: Bool { Terminal(.output).hasColor }
}
