import Foundation
import Testing
import TurnoutCommands

#if os(Linux)
    /// Runs the tool in a separate process.
    enum RunTool {
        /// Returns what a command line prints. The environment's variables are added to those of this process.
        static func output(
            of arguments: [String], exitCode: Int32 = 0, environment: [String: String] = [:]
        ) async -> (output: String, errors: String) {
            let result = await #expect(
                processExitsWith: .exitCode(exitCode), observing: [\.standardOutputContent, \.standardErrorContent]
            ) { [arguments, environment] in
                for (name, value) in environment { setenv(name, value, 1) }
                StandardStream.reserve()
                exit(await Tool.run(arguments))
            }
            return (
                String(decoding: result?.standardOutputContent ?? [], as: UTF8.self),
                String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            )
        }
    }
#endif
