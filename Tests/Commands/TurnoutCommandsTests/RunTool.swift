import Foundation
import Testing
import TurnoutCommands

#if os(Linux)
    /// Runs the tool in a separate process.
    enum RunTool {
        /// Returns what a command line prints.
        static func output(
            of arguments: [String], exitCode: Int32 = 0
        ) async -> (output: String, errors: String) {
            let result = await #expect(
                processExitsWith: .exitCode(exitCode), observing: [\.standardOutputContent, \.standardErrorContent]
            ) { [arguments] in
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
