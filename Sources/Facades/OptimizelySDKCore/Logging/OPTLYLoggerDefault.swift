import Foundation

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

    /// A logger for everything.
    static var ofEverything: any OPTLYLogger { OPTLYLoggerDefault(logLevel: .all) ?? OPTLYLoggerDefault() }

    /// Writes a message, unless its level lies above ``logLevel``.
    open func logMessage(_ message: String, with level: OptimizelyLogLevel) {
        guard level.rawValue <= logLevel.rawValue else { return }
        // `NSLog` takes a format string, and messages may contain user input.
        NSLog("[OPTIMIZELY SDK] [\(level.name)] \(message)".replacingOccurrences(of: "%", with: "%%"))
    }
}
