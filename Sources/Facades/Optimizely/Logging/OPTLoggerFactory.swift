public import Foundation
import TurnoutClient

/// Knows the logger for those parts that belong to no client, such as stores and JSON documents.
public class OPTLoggerFactory: NSObject {
    // @unchecked Sendable because the reference is only reached through a lock; the logger itself may be called from
    // any thread.
    private struct Registration: @unchecked Sendable {
        weak var logger: (any OPTLogger)?
    }

    private static let registration = Locked(Registration())

    /// Makes a client's logger the one that ``getLogger()`` returns, for as long as somebody keeps it. Of several
    /// loggers the first one counts.
    package static func register(_ logger: any OPTLogger) {
        let candidate = Registration(logger: logger)
        registration.withLock { if $0.logger == nil { $0 = candidate } }
    }

    /// The logger of the first client that lives and has one, or a new ``DefaultLogger``.
    package static func getLogger() -> any OPTLogger {
        let current = registration.withLock { $0 }
        return current.logger ?? DefaultLogger()
    }

    static func log(_ level: OptimizelyLogLevel, _ message: String) { getLogger().log(level: level, message: message) }
}
