import Foundation
import Optimizely
import TurnoutClient

/// A logger that receives the messages of a manager and its clients.
///
/// They call it from any thread, several times at once, also on threads that decide, so a call must not block for long
/// and cannot fail.
public protocol OPTLYLogger: AnyObject {
    /// The most verbose level that is logged; clients build no messages above it.
    var logLevel: OptimizelyLogLevel { get }

    /// Creates a logger. Returns nil if the logger does not support the level.
    init?(logLevel: OptimizelyLogLevel)

    /// Writes a message.
    func logMessage(_ message: String, with level: OptimizelyLogLevel)
}

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

/// Writes messages with `NSLog`: to the system's log, or to standard error.
open class OPTLYLoggerDefault: NSObject, OPTLYLogger {
    /// The most verbose level that is logged.
    public let logLevel: OptimizelyLogLevel

    /// Creates a logger for messages up to `info`.
    override public init() {
        logLevel = .info
        super.init()
    }

    /// Creates a logger for messages up to a level.
    public required init?(logLevel: OptimizelyLogLevel) {
        self.logLevel = logLevel
        super.init()
    }

    static var ofEverything: any OPTLYLogger { OPTLYLoggerDefault(logLevel: .all) ?? OPTLYLoggerDefault() }

    /// Writes a message, unless its level lies above ``logLevel``.
    open func logMessage(_ message: String, with level: OptimizelyLogLevel) {
        guard level.rawValue <= logLevel.rawValue else { return }
        // `NSLog` takes a format string, and messages may contain user input.
        NSLog("[\(level.name)] \(message)".replacingOccurrences(of: "%", with: "%%"))
    }
}

extension OPTLYLogger {
    /// The logger as the log of a client or service.
    func log(key: String? = nil) -> NamedLog { OPTLYLoggerLog(self).named("OptimizelySDKCore", key: key ?? "") }
}

/// Forwards log entries to the caller's logger.
struct OPTLYLoggerLog: Log {
    private let logger: UncheckedSendable<any OPTLYLogger>

    init(_ logger: any OPTLYLogger) { self.logger = UncheckedSendable(logger) }

    func isEnabled(_ level: LogLevel) -> Bool { level.old.rawValue <= logger.value.logLevel.rawValue }

    func write(_ level: LogLevel, _ message: String) { logger.value.logMessage(message, with: level.old) }
}

extension LogLevel {
    fileprivate var old: OptimizelyLogLevel {
        switch self {
        case .error: .error
        case .warning: .warning
        case .info: .info
        case .debug: .debug
        }
    }
}
