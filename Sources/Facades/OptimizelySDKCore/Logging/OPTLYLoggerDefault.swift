import Foundation

/// Writes messages with `NSLog`: to the system's log, or to the standard error output.
open class OPTLYLoggerDefault: NSObject, OPTLYLogger {
    /// Up to where messages are written.
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
        // The text is a format, and may hold what others typed.
        NSLog("[OPTIMIZELY SDK] [\(level.name)] \(message)".replacingOccurrences(of: "%", with: "%%"))
    }
}
