/// The severity of a message, and the most verbose level of a logger.
public enum OptimizelyLogLevel: UInt, Sendable {
    /// No messages.
    case off = 0
    /// Something failed, or is probably a mistake.
    case critical = 1, error, warning
    /// Something happened.
    case info = 4
    /// Details that explain a decision.
    case debug = 5, verbose
    /// Everything.
    case all = 7

    var name: String { "\(self)".uppercased() }
}
