/// How much a message matters, and from where on messages are wanted.
public enum OptimizelyLogLevel: Int, Comparable, Sendable {
    /// No messages.
    case off = 0
    /// Something does not work.
    case error = 1
    /// Something is probably not meant.
    case warning = 2
    /// Something happened.
    case info = 3
    /// What is needed to understand a decision.
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
