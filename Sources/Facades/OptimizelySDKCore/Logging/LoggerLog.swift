import Optimizely
import TurnoutClient

/// Hands what a client reports to the logger of its caller.
struct LoggerLog: Log {
    private let logger: Handed<any OPTLYLogger>

    init(_ logger: any OPTLYLogger) { self.logger = Handed(logger) }

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
