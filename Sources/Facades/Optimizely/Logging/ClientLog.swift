import TurnoutClient

/// Forwards a client's log entries to the caller's logger.
struct ClientLog: Log {
    private let logger: UncheckedSendable<any OPTLogger>

    init(_ logger: any OPTLogger) { self.logger = UncheckedSendable(logger) }

    /// The caller's logger receives all entries except debug messages that it does not want, and filters them itself.
    func isEnabled(_ level: LogLevel) -> Bool {
        level < .debug || type(of: logger.value).logLevel >= .debug
    }

    func write(_ level: LogLevel, _ message: String) {
        let level: OptimizelyLogLevel =
            switch level {
            case .error: .error
            case .warning: .warning
            case .info: .info
            case .debug: .debug
            }
        logger.value.log(level: level, message: message)
    }
}

/// Writes to the logger of the first live client: for services that all clients of the program share.
struct FactoryLog: Log {
    private var log: NamedLog { ClientLog(OPTLoggerFactory.getLogger()).named("Optimizely") }
    func isEnabled(_ level: LogLevel) -> Bool { log.isEnabled(level) }
    func write(_ level: LogLevel, _ message: String) { log.write(level, message) }
}

extension Log {
    func report(_ error: OptimizelyError) { callAsFunction(.error, error.reason) }
}
