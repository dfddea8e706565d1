package import TurnoutClient

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
