/// Where a client reports what it does and what went wrong.
///
/// User ids, attribute values and the keys of services appear in ``LogLevel/debug`` entries only.
public protocol Log: Sendable {
    /// Whether entries of a level are wanted. A text is only made if its level is.
    func isEnabled(_ level: LogLevel) -> Bool
    /// Takes an entry. Called from any thread; must not block for long.
    func write(_ level: LogLevel, _ message: String)
}

/// How urgent a log entry is.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    /// Something failed, and somebody should know.
    case error = 1
    /// Something is doubtful, but work goes on.
    case warning
    /// A change of state: started, updated, closed.
    case info
    /// Every step. May contain user ids.
    case debug

    /// Whether a level is more urgent than another.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

extension Log {
    /// Writes an entry if its level is wanted; the text is not made otherwise.
    @inline(__always)
    package func callAsFunction(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if isEnabled(level) { write(level, message()) }
    }

    /// Reports an error. What foreign code says of it may be personal, so that is for debugging only.
    package func failure(_ level: LogLevel, _ what: @autoclosure () -> String, _ error: any Error) {
        switch error {
        case let error as any PrintableError: callAsFunction(level, "\(what()): \(error)")
        default:
            callAsFunction(level, "\(what()): \(type(of: error))")
            callAsFunction(.debug, "\(what()): \(error)")
        }
    }
}

/// A log that nobody reads.
public struct SilentLog: Log {
    /// Creates the log.
    public init() {}
    /// Never.
    public func isEnabled(_ level: LogLevel) -> Bool { false }
    /// Does nothing.
    public func write(_ level: LogLevel, _ message: String) {}
}

/// A log on the standard error output, one line per entry: `[turnout] warning: …`.
public struct StandardErrorLog: Log {
    private let level: LogLevel

    /// Creates a log of all entries at least as urgent as `level`. Default: warnings and errors.
    public init(level: LogLevel = .warning) { self.level = level }

    /// Whether the level is at least as urgent as the log's.
    public func isEnabled(_ level: LogLevel) -> Bool { level <= self.level }

    /// Writes a line. Line breaks in the message are replaced, so that nobody can forge entries.
    public func write(_ level: LogLevel, _ message: String) {
        let line = message.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "⏎")
        StandardError.write("[turnout] \(level): \(line)\n")
    }
}

/// A log that keeps its entries in memory, for tests.
public final class MemoryLog: Log {
    /// An entry.
    public struct Entry: Sendable, Equatable {
        /// How urgent it is.
        public let level: LogLevel
        /// What it says.
        public let message: String
    }

    private let level: LogLevel
    private let limit: Int
    private let state = Locked<[Entry]>([])

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - level: The least urgent level that is kept. Default: everything.
    ///   - limit: How many entries are kept; older ones go. Default: 10,000.
    public init(level: LogLevel = .debug, limit: Int = 10_000) {
        self.level = level
        self.limit = max(1, limit)
    }

    /// Whether the level is at least as urgent as the log's.
    public func isEnabled(_ level: LogLevel) -> Bool { level <= self.level }

    /// Keeps an entry.
    public func write(_ level: LogLevel, _ message: String) {
        state.withLock { entries in
            entries.append(Entry(level: level, message: message))
            // Cutting one off each time would move all the others each time.
            if entries.count >= 2 * limit { entries.removeFirst(entries.count - limit) }
        }
    }

    /// What was written, oldest first.
    public var entries: [Entry] { state.withLock { $0.suffix(limit) } }
}

extension Log where Self == SilentLog {
    /// Writes nothing.
    public static var silent: SilentLog { SilentLog() }
}

extension Log where Self == StandardErrorLog {
    /// Warnings and errors, on the standard error output.
    public static var standardError: StandardErrorLog { StandardErrorLog() }
    /// Entries at least as urgent as `level`, on the standard error output.
    public static func standardError(level: LogLevel) -> StandardErrorLog { StandardErrorLog(level: level) }
}

extension Log where Self == MemoryLog {
    /// In memory.
    public static var memory: MemoryLog { MemoryLog() }
}
