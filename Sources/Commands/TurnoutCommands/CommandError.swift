import TurnoutEngine
package import TurnoutFlags

/// Why a command failed: exit code 1. Mistakes in the command line are ``UsageError``s.
package struct CommandError: Error, Equatable {
    /// The problem, with the file and line if there is one.
    package let message: String
    /// How to fix it.
    package let advice: String?
    /// The problems in the text of a file, because of which the command failed; nil if there is no such file.
    package private(set) var problems: FileProblems?

    /// Problems in the text of a file.
    package struct FileProblems: Equatable, Sendable {
        /// The file, as messages name it.
        package let file: String
        package let problems: [Diagnostic]
    }

    package static let exitCode: Int32 = 1

    package init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }

    /// An error whose cause is in the text of a file.
    init(_ message: String, advice: String? = nil, in file: String, _ problems: [Diagnostic]) {
        self.init(message, advice: advice)
        self.problems = FileProblems(file: file, problems: problems)
    }

    /// The error for a failed write to standard output. Must be created right after the attempt, because it reads
    /// `errno`.
    static func unwritten(_ what: String) -> CommandError {
        CommandError(
            "\(what) could not be written to standard output: \(StandardStream.lastProblem)",
            advice: "Free space on the disk, or check the program that reads the output.")
    }

    /// A problem in a JSON file, with its location.
    init(_ error: JSONError, in file: String, advice: String? = nil) {
        let place = error.path.isEmpty ? "" : error.pathText + ": "
        self.init("\(file):\(error.line):\(error.column): \(place)\(error.message)", advice: advice)
    }

    /// The lines for standard error.
    package var report: String {
        // Text from files must not send control characters to the terminal.
        "turnout: \(message.printable)\n" + (advice.map { "  \($0.printable)\n" } ?? "")
    }
}
