import TurnoutEngine

/// Why a command could not do its work: exit code 1, other than for a mistake in the command line itself.
package struct CommandError: Error, Equatable {
    /// What went wrong, with the file and line where there is one.
    package let message: String
    /// What to do about it.
    package let cure: String?

    package static let exitCode: Int32 = 1

    package init(_ message: String, cure: String? = nil) {
        self.message = message
        self.cure = cure
    }

    /// A file that is JSON, but not what it should be.
    init(_ error: JSONError, in file: String, cure: String? = nil) {
        let place = error.path.isEmpty ? "" : error.pathText + ": "
        self.init("\(file):\(error.line):\(error.column): \(place)\(error.message)", cure: cure)
    }

    /// The lines for standard error.
    package var report: String {
        // Names and texts from files must not write to the terminal what they like.
        "turnout: \(message.printable)\n" + (cure.map { "  \($0.printable)\n" } ?? "")
    }
}
