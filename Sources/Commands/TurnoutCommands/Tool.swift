import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine

/// The `turnout` executable: finds the command, runs it, and converts errors to exit codes.
public enum Tool {
    /// The version that `--version` prints.
    package static let version = LibraryVersion.current

    /// What `--version` prints beside the version.
    private static var build: String {
        #if DEBUG
            let configuration = "debug"
        #else
            let configuration = "release"
        #endif
        return "\(LibraryVersion.commit.map { "commit \($0)" } ?? "from a checkout"), \(configuration) build"
    }

    /// Runs the command line of this process. Results go to standard output, errors and warnings to standard error.
    ///
    /// Call it once, before the process opens files. Arguments must be UTF-8: other bytes are an invalid command line,
    /// because replacing them would decide for another user id.
    ///
    /// - Returns: The exit code: 0, 1 if the command failed, 2 if the command line is invalid, 3 if a check of the
    ///   command found a difference or a finding.
    public static func run() async -> Int32 {
        StandardStream.reserve()
        guard CommandLine.argc > 0 else {
            let advice = "Linux has them in /proc/self/cmdline: mount /proc."
            StandardStream.error.put(CommandError("the arguments cannot be read", advice: advice).report)
            return CommandError.exitCode
        }
        var arguments: [String] = []
        for index in 1..<Int(CommandLine.argc) {
            guard let bytes = CommandLine.unsafeArgv[index] else { break }
            // Swift would replace invalid bytes, and the decision would be for another user id.
            guard let argument = String(validatingCString: bytes) else {
                let error = UsageError.invalidUTF8(String(cString: bytes))
                StandardStream.error.put(error.report(from: syntax.name))
                return UsageError.exitCode
            }
            arguments.append(argument)
        }
        return await run(arguments)
    }

    /// Runs a command line.
    ///
    /// - Parameter arguments: Everything after the name of the executable.
    /// - Returns: The exit code: 0, 1 if the command failed, 2 if the command line is invalid, 3 if a check of the
    ///   command found a difference or a finding.
    package static func run(_ arguments: [String]) async -> Int32 {
        OutputFile.reportSizeLimit()
        var invocation = syntax.name
        do {
            switch try syntax.request(for: arguments) {
            case .overview: try print(syntax.help(width: width, hasColor: hasColor))
            case .version: try print("turnout \(version) (\(build))\n")
            case .help(let command): try print(command.help(width: width, hasColor: hasColor))
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

    /// All commands, in the order of the overview.
    private static let commands: [any Command.Type] = [
        DecideCommand.self, ExplainCommand.self, InspectCommand.self, InitCommand.self, LintCommand.self,
        CompileCommand.self, DiffCommand.self, ImpactCommand.self, ReplayCommand.self, ImportCommand.self,
        AddCommand.self, SetCommand.self, PromoteCommand.self, ArchiveCommand.self, GenerateCommand.self,
        PlanCommand.self, ServeCommand.self, TokenCommand.self, ResultsCommand.self, SimulateCommand.self,
        EventsCommand.self, EngineCommand.self, SegmentsCommand.self, ProfilesCommand.self, RolloutCommand.self,
        CompletionsCommand.self,
    ]

    package static let syntax = ToolSyntax(
        name: "turnout", summary: "Writes, checks, compiles, decides and explains feature flags and experiments.",
        commands: commands.map { $0.syntax })

    private static func run(_ syntax: CommandSyntax, _ rest: [String]) async throws -> Int32 {
        guard case .run(let arguments) = try syntax.parse(rest) else {
            try print(syntax.help(width: width, hasColor: hasColor))
            return 0
        }
        guard let command = commands.first(where: { $0.syntax.name == syntax.name }) else {
            throw UsageError.unknownCommand(syntax.name, nearest: nil)
        }
        return try await command.run(arguments)
    }

    private static func print(_ text: String) throws(CommandError) { try StandardStream.output.print(text, "the text") }
    private static var width: Int { Terminal(.output).width }
    private static var hasColor: Bool { Terminal(.output).hasColor }
}
