import Optimizely
import TurnoutClient

/// Forwards log entries to the caller's logger.
struct LoggerLog: Log {
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
