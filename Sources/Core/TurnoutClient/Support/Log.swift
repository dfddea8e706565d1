/// A destination for a client's log entries.
///
/// User ids, attribute values and the keys of services appear in ``LogLevel/debug`` entries only.
///
/// To write a log, implement both methods. A client calls them from any thread, several at a time, also on threads that
/// decide. Neither can fail: a log that cannot write drops the entry. Messages may contain text of other systems, with
/// line breaks; a log that writes lines should replace them, so that no message looks like two entries.
///
/// ```swift
/// struct FileLog: Log {
///     let file: LogFile
///
///     func isEnabled(_ level: LogLevel) -> Bool { level <= .info }
///
///     func write(_ level: LogLevel, _ message: String) {
///         file.append("\(level): \(message.replacing("\n", with: " "))")
///     }
/// }
/// ```
///
/// ``StandardErrorLog`` and ``MemoryLog`` are logs, and `LoggerLog` of `TurnoutLogging` writes to swift-log. `checkLog`
/// of `TurnoutTestKit` checks what a log has to guarantee.
public protocol Log: Sendable {
    /// Whether entries of a level are logged. A message is only created if its level is enabled.
    ///
    /// Called before each entry, so it must return at once. If a level is enabled, all more severe ones must be, too.
    func isEnabled(_ level: LogLevel) -> Bool
    /// Writes an entry. Called from any thread; must not block for long, because a decision may wait for it.
    func write(_ level: LogLevel, _ message: String)
}

/// The severity of a log entry.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    /// Something failed, and an operator should know.
    case error = 1
    /// Something is probably wrong, but work continues.
    case warning
    /// A change of state: started, updated, closed.
    case info
    /// Details of every step. May contain user ids.
    case debug

    /// Whether a level is more severe than another.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

extension Log {
    /// Writes an entry if its level is enabled; the message is not created otherwise.
    @inline(__always)
    package func callAsFunction(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if isEnabled(level) { write(level, message()) }
    }

    /// Logs an error. Error descriptions from other code may contain personal data, so they are logged at the debug
    /// level only.
    package func failure(_ level: LogLevel, _ what: @autoclosure () -> String, _ error: any Error) {
        switch error {
        case let error as any PrintableError: callAsFunction(level, "\(what()): \(error)")
        default:
            callAsFunction(level, "\(what()): \(error.logText)")
            callAsFunction(.debug, "\(what()): \(error)")
        }
    }
}

/// A log whose entries begin with the library that wrote them, and enough of its SDK key to identify it:
/// `Optimizely "4Xf9…": now using revision 5 (cached)`.
package struct NamedLog: Log {
    /// The log that receives the entries.
    let log: any Log
    private let name: String
    private let prefix: String

    init(_ log: any Log, _ name: String, key: String = "") {
        (self.log, self.name) = (log, name)
        prefix = name + (key.isEmpty ? "" : " " + key.shortenedKey) + ": "
    }

    /// The log without the key, for services that clients with several keys share.
    package var withoutKey: NamedLog { NamedLog(log, name) }

    package func isEnabled(_ level: LogLevel) -> Bool { log.isEnabled(level) }
    package func write(_ level: LogLevel, _ message: String) { log.write(level, prefix + message) }
}

extension Log {
    /// A log that names a library, and a shortened key if there is one.
    package func named(_ library: String, key: String = "") -> NamedLog { NamedLog(self, library, key: key) }
}

/// A log that discards everything.
public struct SilentLog: Log {
    /// Creates the log.
    public init() {}
    /// Returns false.
    public func isEnabled(_ level: LogLevel) -> Bool { false }
    /// Does nothing.
    public func write(_ level: LogLevel, _ message: String) {}
}

/// A log on the standard error output, one line per entry: `[turnout] warning: …`.
public struct StandardErrorLog: Log {
    private let level: LogLevel

    /// Creates a log for entries at least as severe as `level`. Default: warnings and errors.
    public init(level: LogLevel = .warning) { self.level = level }

    /// Whether the level is at least as severe as the log's.
    public func isEnabled(_ level: LogLevel) -> Bool { level <= self.level }

    /// Writes a line. Line breaks in the message are replaced, so messages cannot forge entries.
    public func write(_ level: LogLevel, _ message: String) {
        StandardError.write("[turnout] \(level): \(message.onOneLine)\n")
    }
}

/// A log that keeps its entries in memory, for tests.
public final class MemoryLog: Log {
    /// An entry.
    public struct Entry: Sendable, Equatable {
        /// The severity.
        public let level: LogLevel
        /// The message.
        public let message: String
    }

    private let level: LogLevel
    private let limit: Int
    private let state = Locked<[Entry]>([])

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - level: The least severe level to keep. Default: everything.
    ///   - limit: The maximum number of entries; older ones are dropped. Default: 10,000.
    public init(level: LogLevel = .debug, limit: Int = 10_000) {
        self.level = level
        self.limit = max(1, limit)
    }

    /// Whether the level is at least as severe as the log's.
    public func isEnabled(_ level: LogLevel) -> Bool { level <= self.level }

    /// Keeps an entry.
    public func write(_ level: LogLevel, _ message: String) {
        state.withLock { entries in
            entries.append(Entry(level: level, message: message))
            // Removing one entry each time would move all others each time.
            if entries.count >= 2 * limit { entries.removeFirst(entries.count - limit) }
        }
    }

    /// The entries, oldest first.
    public var entries: [Entry] { state.withLock { $0.suffix(limit) } }
}

extension Log where Self == SilentLog {
    /// Creates a log that discards everything.
    public static var silent: SilentLog { SilentLog() }
}

extension Log where Self == StandardErrorLog {
    /// Creates a log of warnings and errors on the standard error output.
    public static var standardError: StandardErrorLog { StandardErrorLog() }
    /// Creates a log of entries at least as severe as `level` on the standard error output.
    public static func standardError(level: LogLevel) -> StandardErrorLog { StandardErrorLog(level: level) }
}

extension Log where Self == MemoryLog {
    /// Creates a log in memory.
    public static var memory: MemoryLog { MemoryLog() }
}

/// An error whose description contains no personal data and no secrets, so it may be logged at any level.
package protocol PrintableError: Error, CustomStringConvertible {}

extension Error {
    /// The loggable description of any error: the full description if it contains no personal data, otherwise only the
    /// kind of error: `NSURLErrorDomain -1009`, `StoreError.locked`. Descriptions from other code may contain an
    /// address or a user.
    package var logText: String {
        if let error = self as? any PrintableError { return error.description }
        let (type, mirror) = (String(reflecting: type(of: self)), Mirror(reflecting: self))
        // Errors from Foundation and the system are identified by a domain and a number.
        guard _domain == type else { return "\(_domain) \(_code)" }
        let name = String(describing: Swift.type(of: self))
        guard mirror.displayStyle == .enum else { return name }
        if let label = mirror.children.first?.label { return "\(name).\(label)" }
        // Through `Any`, because with Foundation imported the compiler considers every error convertible.
        return (self as Any) is any CustomStringConvertible ? name : "\(name).\(self)"
    }
}

// The format of numbers and texts in logs and errors.

extension Duration {
    /// The duration as in logs: `2 s`, `0.25 s`, `150 ms`.
    package var logText: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard seconds != 0 || milliseconds == 0 else { return "\(milliseconds) ms" }
        guard milliseconds != 0 else { return "\(seconds) s" }
        let digits = "\(abs(milliseconds) + 1_000)".dropFirst()
        return "\(seconds).\(digits.reversed().drop { $0 == "0" }.reversed().map(String.init).joined()) s"
    }

    /// The duration rounded to a tenth of a second, or to seconds or minutes if it is longer: `0.2 s`, `45 s`, `5 min`.
    package var roundedLogText: String {
        let tenths = max(1, Int((min(self, .seconds(31_536_000)) / .milliseconds(100)).rounded()))
        switch tenths {
        case ..<100: return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
        case ..<1_200: return "\(tenths / 10) s"
        default: return "\((tenths + 300) / 600) min"
        }
    }
}

extension Int {
    /// The number with its noun: `1 event`, `2 events`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension String {
    /// Enough of an SDK key to identify it, in quotes. Whole keys are not logged.
    package var shortenedKey: String { count > 4 ? "\"\(prefix(4))…\"" : "\"\(self)\"" }

    /// The text with its line breaks replaced, so that it cannot forge an entry of a log.
    package var onOneLine: String {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "⏎")
    }
}
