import Logging
import Synchronization
import Testing
import TurnoutClient
import TurnoutLogging

@Suite struct LoggingToSwiftLog {
    private let entries = LogEntries()

    private func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "turnout") { [entries] _ in RecordingHandler(entries: entries) }
        logger.logLevel = level
        return logger
    }

    @Test func levelsHaveTheSameNames() {
        let log = LoggerLog(logger(.trace))
        for level in LogLevel.allCases { log.write(level, "\(level)") }
        #expect(entries.all.map(\.message) == ["error", "warning", "info", "debug"])
        #expect(entries.all.map(\.level) == [.error, .warning, .info, .debug])
    }

    @Test func theLoggersLevelApplies() {
        let log = LoggerLog(logger(.warning))
        #expect(LogLevel.allCases.filter(log.isEnabled) == [.error, .warning])
    }

    @Test func entriesCarryTheSourceAndTheMetadata() {
        LoggerLog(logger(.info), metadata: ["client": "shop"]).write(.info, "started")
        #expect(entries.all.map(\.source) == ["turnout"])
        #expect(entries.all.map(\.metadata) == ["client=shop"])
    }

    @Test func aMessageCannotForgeAnEntry() {
        LoggerLog(logger(.info)).write(.info, "first\n[turnout] error: forged")
        #expect(entries.all.map(\.message) == ["first⏎[turnout] error: forged"])
    }

    @Test func aClientLogsToIt() {
        var configuration = ClientConfiguration()
        configuration.log = .logger(logger(.info))
        configuration.pollingInterval = .seconds(2)
        _ = FlagClient(configuration)
        #expect(entries.all.map(\.message) == ["polling interval 2 s is below the minimum; using 30 s"])
    }
}

/// The entries that the handlers of a test received.
private final class LogEntries: Sendable {
    struct Entry: Sendable {
        let level: Logger.Level
        let message, metadata, source: String
    }

    private let state = Mutex<[Entry]>([])

    var all: [Entry] { state.withLock { $0 } }

    func append(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

private struct RecordingHandler: LogHandler {
    let entries: LogEntries
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
        function: String, line: UInt
    ) {
        let pairs = (metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
        entries.append(.init(level: level, message: message.description, metadata: pairs, source: source))
    }
}
