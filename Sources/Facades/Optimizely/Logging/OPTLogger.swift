/// A logger that receives the messages of a client.
///
/// The client calls a logger from any thread, several times at once, also on threads that decide, so a call must not
/// block for long and cannot fail. It passes messages of all levels, and the logger discards those above ``logLevel``.
/// Debug messages are an exception: the client does not create them if the level is lower.
public protocol OPTLogger: AnyObject {
    /// The most verbose level that is logged. The client sets it once, when it is created.
    static var logLevel: OptimizelyLogLevel { get set }

    /// Creates a logger.
    init()

    /// Writes a message.
    func log(level: OptimizelyLogLevel, message: String)
}

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
