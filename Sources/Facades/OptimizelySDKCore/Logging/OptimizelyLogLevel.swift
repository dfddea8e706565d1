/// How much a message matters, and up to where messages are wanted.
public enum OptimizelyLogLevel: UInt, Sendable {
    /// No messages.
    case off = 0
    /// Something does not work, or is probably not meant.
    case critical = 1, error, warning
    /// Something happened.
    case info = 4
    /// What is needed to understand a decision.
    case debug = 5, verbose
    /// Everything.
    case all = 7

    var name: String { "\(self)".uppercased() }
}
