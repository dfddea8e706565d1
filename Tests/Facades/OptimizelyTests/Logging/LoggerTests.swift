@Suite(.ownThread) struct LoggerTests {
    @Test func levelsAreOrderedAndNamed() {
        let levels: [OptimizelyLogLevel] = [.off, .error, .warning, .info, .debug, .verbose]
        #expect(levels.map(\.rawValue) == Array(0...5) && levels == levels.sorted())
        #expect(levels.map(\.name) == ["OFF", "ERROR", "WARNING", "INFO", "DEBUG", "VERBOSE"])
    }

    @Test func theFirstAssignmentCounts() {
        let level = FirstAssignment(orElse: OptimizelyLogLevel.info)
        #expect(level.value == .info)
        level.assign(.error)
        level.assign(.debug)
        #expect(level.value == .error)
    }

    // In separate processes, because the level and the registered logger are process-wide.

    @Test func messagesGoToStandardErrorUpToTheLevel() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let logger = DefaultLogger()
            logger.log(level: .info, message: "by default")
            logger.log(level: .debug, message: "not by default")
            DefaultLogger.logLevel = .warning
            DefaultLogger.logLevel = .verbose
            #expect(DefaultLogger.logLevel == .warning)
            logger.log(level: .warning, message: "careful")
            logger.log(level: .info, message: "too much")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("[INFO] by default\n[WARNING] careful\n"), "\(text)")
        #expect(!text.contains("not by default") && !text.contains("too much"))
    }

    @Test func codeWithoutAClientUsesTheFirstLiveLogger() async {
        await #expect(processExitsWith: .success) {
            var first: RecordingLogger? = RecordingLogger()
            let second = RecordingLogger()
            if let first { OPTLoggerFactory.register(first) }
            OPTLoggerFactory.register(second)
            let json = OptimizelyJSON(map: [:])
            _ = json?.getValue(jsonPath: "a.b") as String?
            #expect(first?.messages == ["ERROR: Optimizely: Value for JSON key (a.b) not found."])
            #expect(second.messages.isEmpty)
            first = nil
            #expect(OPTLoggerFactory.getLogger() is DefaultLogger)
            OPTLoggerFactory.register(second)
            #expect(OPTLoggerFactory.getLogger() === second)
        }
    }
}

/// A logger as customers write it: no annotations, with state.
private class RecordingLogger: OPTLogger {
    nonisolated(unsafe) static var logLevel = OptimizelyLogLevel.info
    var messages: [String] = []

    required init() {}

    func log(level: OptimizelyLogLevel, message: String) { messages.append("\(level.name): \(message)") }
}
