package import TurnoutEngine
import TurnoutReports

/// Why a command failed: exit code 1. Mistakes in the command line are `UsageError`s.
package struct CommandError: Error {
    /// The problem, with the file and line if there is one.
    package let message: String
    package let advice: String?
    /// The cause, for commands that report more than the message.
    package let underlyingError: (any Error)?

    package static let exitCode: Int32 = 1

    package init(_ message: String, advice: String? = nil, underlyingError: (any Error)? = nil) {
        self.message = message
        self.advice = advice
        self.underlyingError = underlyingError
    }

    /// The error for a failed write to standard output. Must be created right after the attempt, because it reads
    /// `errno`.
    package static func unwritten(_ what: String) -> CommandError {
        CommandError(
            "\(what) could not be written to standard output: \(StandardStream.lastProblem)",
            advice: "Free space on the disk, or check the program that reads the output.")
    }

    /// The error for a file or folder that cannot be read. Must be created right after the attempt, because it reads
    /// `errno`.
    package static func unreadable(_ path: String) -> CommandError {
        CommandError(
            "\(path): cannot be read: \(StandardStream.lastProblem)", advice: "Check the path and its permissions.")
    }

    /// A problem in a JSON file, with its location.
    package init(_ error: JSONError, in file: String, advice: String? = nil) {
        let place = error.path.isEmpty ? "" : error.pathText + ": "
        self.init("\(file):\(error.line):\(error.column): \(place)\(error.message)", advice: advice)
    }

    /// The lines for standard error.
    package var report: String {
        // Text from files must not send control characters to the terminal.
        "turnout: \(message.printable)\n" + (advice.map { "  \($0.printable)\n" } ?? "")
    }
}
