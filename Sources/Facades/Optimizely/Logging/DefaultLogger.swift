import Foundation
import TurnoutClient

#if canImport(os)
    import os
#endif

/// Writes messages to the system's log, or to standard error where there is none.
open class DefaultLogger: OPTLogger {
    /// The most verbose level that is logged. Default: `info`.
    ///
    /// Only the first assignment in the process takes effect, so that a second client does not silence or flood the log
    /// of the first.
    public static var logLevel: OptimizelyLogLevel {
        get { level.value }
        set { level.assign(newValue) }
    }

    /// Creates a logger.
    required public init() {}

    /// Writes a message, unless its level lies above ``logLevel``.
    open func log(level: OptimizelyLogLevel, message: String) {
        guard level <= Self.logLevel else { return }
        write("[\(level.name)] \(message)", level)
    }

    #if canImport(os)
        private static let output = Logger(subsystem: "com.optimizely.swift-sdk", category: "OPTIMIZELY")

        private func write(_ line: String, _ level: OptimizelyLogLevel) {
            let type: OSLogType =
                switch level {
                case .error: .error
                case .info: .info
                case .debug: .debug
                case .off, .warning, .verbose: .default
                }
            Self.output.log(level: type, "\(line, privacy: .public)")
        }
    #else
        private func write(_ line: String, _ level: OptimizelyLogLevel) {
            // One write per line, so that lines of several threads do not mix.
            try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
        }
    #endif
}

/// A value that is set once; later assignments change nothing.
package struct FirstAssignment<Value: Sendable>: ~Copyable, Sendable {
    private let standard: Value
    private let assigned = Locked<Value?>(nil)

    /// Creates a value that is `standard` until it is set.
    package init(orElse standard: Value) { self.standard = standard }

    package var value: Value { assigned.withLock { $0 } ?? standard }

    package func assign(_ value: Value) {
        assigned.withLock { if $0 == nil { $0 = value } }
    }
}

extension DefaultLogger {
    /// The vendor's static property `logLevel`.
    static let level = FirstAssignment(orElse: OptimizelyLogLevel.info)
}
