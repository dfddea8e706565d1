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

    // MARK: Decision log

    /// A logger for everything.
    private final class DebugLogger: OPTLogger {
        static var logLevel: OptimizelyLogLevel {
            get { .debug }
            set {}
        }
        let lines = Locked<[String]>([])
        func log(level: OptimizelyLogLevel, message: String) {
            lines.withLock { $0.append("\(level.name) \(message)") }
        }
    }

    private let logger = DebugLogger()
    /// Clients with the same key would share services.
    private let sdkKey = "4Xf9secret" + UUID().uuidString

    private func client(handler: DefaultDatafileHandler? = nil) -> OptimizelyClient {
        HostEnvironment.$override.withValue(.withManualClock) {
            OptimizelyClient(sdkKey: sdkKey, logger: logger, datafileHandler: handler, defaultLogLevel: .debug)
        }
    }

    private func logged(_ body: () throws -> Void) rethrows -> [String] {
        logger.lines.withLock { $0 = [] }
        try body()
        return logger.lines.withLock { $0 }
    }

    @Test func eachDecisionIsLogged() throws {
        let client = client()
        try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        let prefix = #"DEBUG Optimizely "4Xf9…": decided "#
        let hash = String(Bucketing(bucketingID: "ada").hash(entityID: ""), radix: 16)
        let user = client.createUserContext(userId: "ada", attributes: ["born": Date(), "unknown": 1])
        let decided = logged { _ = user.decide(key: "rolled", options: [.disableDecisionEvent]) }
        #expect(decided.count == 1)
        let line = decided.first ?? ""
        #expect(line.hasPrefix(prefix + "rolled: ") && line.contains(", rollout; user \(hash)"))
        #expect(line.hasSuffix("; events leave out born (its type), unknown (not in the datafile)"))
        #expect(!line.contains("ada"))
        let unknown = logged { _ = user.decide(key: "x") }
        #expect(unknown.contains { $0.hasPrefix(prefix + "x: no variation, flagNotFound") })
        #expect(logged { _ = user.decideAll() }.filter { $0.hasPrefix(prefix) }.count > 3)
        let experiment = try logged { _ = try client.getVariationKey(experimentKey: "sticky", userId: "ada") }
        #expect(experiment == [prefix + "experiment sticky: first (off) by sticky, bucketed; user \(hash)"])
        _ = logged { _ = client.isFeatureEnabled(featureKey: "rolled", userId: "ada") }
    }

    @Test func theRevisionAndItsOriginAreLogged() throws {
        let client = client()
        let lines = try logged { try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false) }
        #expect(lines.contains(#"INFO Optimizely "4Xf9…": now using revision 7 (bundled)"#))
    }

    @Test func theErrorOfAStartNamesTheStatus() async {
        let client = client(handler: MemoryHandler(response: HTTPResponse(status: 403)))
        let error = await #expect(throws: OptimizelyError.self) { try await client.start() }
        let text = error?.errorDescription ?? ""
        #expect(text.contains("403") && !text.contains("4Xf9secret"))
    }
}

/// A logger as customers write it: no annotations, with state.
private class RecordingLogger: OPTLogger {
    nonisolated(unsafe) static var logLevel = OptimizelyLogLevel.info
    var messages: [String] = []

    required init() {}

    func log(level: OptimizelyLogLevel, message: String) { messages.append("\(level.name): \(message)") }
}
