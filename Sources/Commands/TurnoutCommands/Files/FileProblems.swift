import TurnoutFlags

/// Problems in the text of a file, because of which a command failed: the cause of a `CommandError`.
struct FileProblems: Error {
    /// The file, as messages name it.
    let file: String
    let problems: [Diagnostic]
}
