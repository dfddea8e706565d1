/// The severity of a message, and the most verbose level of a logger.
public enum OptimizelyLogLevel: Int, Comparable, Sendable {
    /// No messages.
    case off = 0
    /// A failure.
    case error = 1
    /// A probable mistake.
    case warning = 2
    /// An event of normal operation.
    case info = 3
    /// Details that explain a decision.
    case debug = 4
    /// Everything.
    case verbose = 5

    /// The level in capital letters.
    public var name: String {
        switch self {
        case .off: "OFF"
        case .error: "ERROR"
        case .warning: "WARNING"
        case .info: "INFO"
        case .debug: "DEBUG"
        case .verbose: "VERBOSE"
        }
    }

    /// Whether the left level lets fewer messages through.
    public static func < (lhs: OptimizelyLogLevel, rhs: OptimizelyLogLevel) -> Bool { lhs.rawValue < rhs.rawValue }
}
