public import Foundation
import TurnoutClient

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

/// Provides the logger for code that belongs to no client, such as stores and JSON documents.
public class OPTLoggerFactory: NSObject {
    // @unchecked Sendable because the reference is only reached through a lock; the logger itself may be called from
    // any thread.
    struct Registration: @unchecked Sendable {
        weak var logger: (any OPTLogger)?
    }

    /// Registers a client's logger as the one that ``getLogger()`` returns, until it is released. If several are
    /// registered, the first one counts.
    package static func register(_ logger: any OPTLogger) {
        let candidate = Registration(logger: logger)
        registration.withLock { if $0.logger == nil { $0 = candidate } }
    }

    /// Returns the first registered logger that is still alive, or a new ``DefaultLogger``.
    package static func getLogger() -> any OPTLogger {
        let current = registration.withLock { $0 }
        return current.logger ?? DefaultLogger()
    }

    static func log(_ level: LogLevel, _ message: String) { FactoryLog().write(level, message) }
}

extension OPTLoggerFactory {
    /// The logger of the first live client, for code that belongs to no client.
    static let registration = Locked(Registration())
}
