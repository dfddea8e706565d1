/// How clients use a custom logger.
@Suite(.ownThread) struct LoggerUseTests {
    @Test func theGivenLoggerInstanceIsCalled() throws {
        let (one, other) = (try TestSetup(nil), try TestSetup(nil))
        #expect(throws: OptimizelyError.self) { try one.client.start(datafile: "{}") }
        #expect(one.logger.has(.error) && other.logger.journal.lines.isEmpty)
    }

    @Test func aLoggerClassNeedsOnlyAnInitializer() throws {
        let logger = StaticLogger()
        let client = OptimizelyClient(
            sdkKey: UUID().uuidString, logger: logger, datafileHandler: ScriptedHandler(), defaultLogLevel: .debug)
        #expect(StaticLogger.logLevel == .debug)
        #expect(throws: OptimizelyError.self) { try client.start(datafile: "{}") }
        #expect(StaticLogger.journal.lines.contains { $0.hasPrefix("1 ") })
    }

    @Test func aLoggerMayUseTheClient() throws {
        let logger = ReentrantLogger()
        let client = OptimizelyClient(
            sdkKey: UUID().uuidString, logger: logger, eventDispatcher: RecordingDispatcher(),
            datafileHandler: ScriptedHandler())
        logger.client = client
        try client.start(datafile: ShopDatafile.data)
        #expect(!client.isFeatureEnabled(featureKey: "x", userId: "u"))
        #expect(logger.journal.lines.contains("true"))
    }

    @Test func noPersonalDataIsLogged() throws {
        let setup = try TestSetup()
        let user = setup.user("secret-user", ["plan": "secret-plan", "size": Double.infinity])
        _ = user.decideAll()
        _ = user.decide(keys: ["x", "tested"])
        try user.trackEvent(eventKey: "purchase", eventTags: ["a": Double.nan, "b": "secret-tag"])
        _ = reason { _ = try setup.client.activate(experimentKey: "nobody", userId: "secret-user") }
        setup.settle()
        let lines = setup.logger.journal.lines.filter { !$0.hasPrefix("DEBUG") }
        #expect(!lines.contains { $0.contains("secret") }, "\(lines)")
    }

    @Test func theFirstClientSetsTheLevelOfTheDefaultLogger() async {
        await #expect(processExitsWith: .success) {
            // A new process, which no trait has prepared.
            HostEnvironment.standard.withLock { $0 = HostEnvironment() }
            #expect(DefaultLogger.logLevel == .info)
            let make = { (level: OptimizelyLogLevel?) in
                OptimizelyClient(sdkKey: UUID().uuidString, datafileHandler: ScriptedHandler(), defaultLogLevel: level)
            }
            let clients = [make(.error), make(.debug), make(nil)]
            #expect(clients.count == 3 && DefaultLogger.logLevel == .error)
        }
    }
}

/// A logger as in the vendor's examples: static members only.
private class StaticLogger: OPTLogger {
    nonisolated(unsafe) static var logLevel = OptimizelyLogLevel.info
    static let journal = Journal()
    required init() {}
    func log(level: OptimizelyLogLevel, message: String) { Self.journal.add("\(level.rawValue) \(message)") }
}

private class ReentrantLogger: OPTLogger {
    nonisolated(unsafe) static var logLevel = OptimizelyLogLevel.info
    let journal = Journal()
    weak var client: OptimizelyClient?
    required init() {}
    func log(level: OptimizelyLogLevel, message: String) {
        guard let client else { return }
        journal.add("\(client.createUserContext(userId: "u").decide(key: "tested").enabled)")
    }
}
