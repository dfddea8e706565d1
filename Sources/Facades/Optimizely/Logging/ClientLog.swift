import TurnoutClient

/// Hands what a client reports to the logger of its caller.
struct ClientLog: Log {
    private let logger: Handed<any OPTLogger>

    init(_ logger: any OPTLogger) { self.logger = Handed(logger) }

    /// A caller's logger gets everything but texts that are only made for debugging, and leaves out what it does not
    /// want.
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

extension Log {
    /// Reports an error in its own words.
    func report(_ error: OptimizelyError) { callAsFunction(.error, error.reason) }
}
