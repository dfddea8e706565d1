package import TurnoutClient

/// A log that goes elsewhere from some moment on: services exist before the client that tells them where to report.
package final class SwitchableLog: Log {
    private let current: Locked<any Log>

    /// Creates a log. Default: warnings and errors go to the standard error output.
    package init(_ log: any Log = .standardError) { current = Locked(log) }

    /// Where entries go now.
    package var target: any Log {
        get { current.withLock { $0 } }
        set {
            // The former one ends outside the lock: its end may come back here.
            let former = current.withLock { current in
                let former = current
                current = newValue
                return former
            }
            withExtendedLifetime(former) {}
        }
    }

    /// Whether entries of a level are wanted.
    package func isEnabled(_ level: LogLevel) -> Bool { target.isEnabled(level) }

    /// Takes an entry.
    package func write(_ level: LogLevel, _ message: String) { target.write(level, message) }
}
