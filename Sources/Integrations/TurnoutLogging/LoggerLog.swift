#if Logging
    public import Logging
    public import TurnoutClient

    /// A client's log that writes to a `Logger` of swift-log.
    ///
    /// ```swift
    /// configuration.log = .logger(Logger(label: "turnout"))
    /// ```
    ///
    /// The levels have the same names. The logger's own level applies: it creates no message below it. Entries at
    /// `debug` may contain user ids and attribute values, so leave the logger at `info` in production.
    public struct LoggerLog: Log {
        private let logger: Logger
        private let metadata: Logger.Metadata?

        /// Creates a log.
        ///
        /// - Parameters:
        ///   - logger: Receives the entries, with its own metadata.
        ///   - metadata: Additional metadata of each entry, for example the name of the client. Default: none.
        public init(_ logger: Logger, metadata: Logger.Metadata = [:]) {
            self.logger = logger
            self.metadata = metadata.isEmpty ? nil : metadata
        }

        /// Whether the logger's level includes the level.
        public func isEnabled(_ level: LogLevel) -> Bool { logger.logLevel <= Logger.Level(level) }

        /// Writes an entry with the source `turnout`. Line breaks are replaced, so messages cannot forge entries of
        /// handlers that write lines.
        public func write(_ level: LogLevel, _ message: String) {
            logger.log(level: Logger.Level(level), "\(message.onOneLine)", metadata: metadata, source: "turnout")
        }
    }

    extension Log where Self == LoggerLog {
        /// Creates a log that writes to a `Logger` of swift-log.
        public static func logger(_ logger: Logger, metadata: Logger.Metadata = [:]) -> LoggerLog {
            LoggerLog(logger, metadata: metadata)
        }
    }

    extension Logger.Level {
        /// The level of the same name.
        init(_ level: LogLevel) {
            switch level {
            case .error: self = .error
            case .warning: self = .warning
            case .info: self = .info
            case .debug: self = .debug
            }
        }
    }
#endif
