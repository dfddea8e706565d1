public import Foundation
import TurnoutClient

/// Provides the logger for code that belongs to no client, such as stores and JSON documents.
public class OPTLoggerFactory: NSObject {
    // @unchecked Sendable because the reference is only reached through a lock; the logger itself may be called from
    // any thread.
    struct Registration: @unchecked Sendable {
        weak var logger: (any OPTLogger)?
    }

    /// Registers a client's logger as the one that ``getLogger()`` returns, until it is released. If several are
    /// registered, the first one counts.
    package static func register(_ logger: any OPTLogger) {
        let candidate = Registration(logger: logger)
        registration.withLock { if $0.logger == nil { $0 = candidate } }
    }

    /// Returns the first registered logger that is still alive, or a new ``DefaultLogger``.
    package static func getLogger() -> any OPTLogger {
        let current = registration.withLock { $0 }
        return current.logger ?? DefaultLogger()
    }

    static func log(_ level: LogLevel, _ message: String) { FactoryLog().write(level, message) }
}

extension OPTLoggerFactory {
    /// The logger of the first live client, for code that belongs to no client.
    static let registration = Locked(Registration())
}
