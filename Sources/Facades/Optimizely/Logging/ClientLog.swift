package import TurnoutClient

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

/// A log whose target can be replaced: services exist before the client that provides their log.
package final class SwitchableLog: Log {
    private let current: Locked<any Log>

    /// Creates a log that forwards to `log`. Default: standard error, for warnings and errors.
    package init(_ log: any Log = .standardError) { current = Locked(log) }

    /// The log that receives the entries.
    package var target: any Log {
        get { current.withLock { $0 } }
        set {
            // The former log is released outside the lock: its deinitializer may call this object.
            let former = current.withLock { current in
                let former = current
                current = newValue
                return former
            }
            withExtendedLifetime(former) {}
        }
    }

    /// Whether the target wants entries of a level.
    package func isEnabled(_ level: LogLevel) -> Bool { target.isEnabled(level) }

    /// Forwards an entry to the target.
    package func write(_ level: LogLevel, _ message: String) { target.write(level, message) }
}
