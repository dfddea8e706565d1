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

    // MARK: Profile use
    // How clients use a custom profile service.

    private let setup: TestSetup
    private let moved = ShopDatafile(sticky: "62").data

    init() throws { setup = try TestSetup() }

    private func variation(_ user: String = "ada") throws -> String {
        try setup.client.getVariationKey(experimentKey: "sticky", userId: user)
    }

    @Test func assignmentsAreStoredAndReused() throws {
        #expect(try variation() == "first" && setup.profiles.journal.lines == ["lookup ada", "save ada"])
        try setup.client.start(datafile: moved, doFetchDatafileBackground: false)
        #expect(try variation() == "first" && setup.profiles.journal.lines.count == 3, "nothing new to save")
        #expect(try variation("bob") == "second")
    }

    @Test func severalFlagsNeedOneLookupAndOneSave() {
        _ = setup.user().decideAll()
        #expect(setup.profiles.journal.lines == ["lookup ada", "save ada"])
        #expect(setup.profiles.assignments(of: "ada") == ["3": "31"])
        _ = setup.user("bob").decide(keys: ["tested", "held"], options: [.ignoreUserProfileService])
        #expect(setup.profiles.journal.lines.count == 2)
    }

    @Test func unknownFlagsDoNotCauseALookup() {
        _ = setup.user().decide(key: "x")
        #expect(setup.profiles.journal.lines.isEmpty)
    }

    @Test func onlyBucketedDecisionsAreStored() throws {
        _ = setup.user().decide(keys: ["rolled", "empty", "held", "bandit"])
        _ = setup.user("skeptic").decide(key: "tested")
        #expect(setup.client.setForcedVariation(experimentKey: "sticky", userId: "ada", variationKey: "second"))
        #expect(try variation() == "second")
        #expect(setup.profiles.journal.lines.allSatisfy { $0.hasPrefix("lookup") })
    }

    @Test(arguments: 0..<9) func malformedProfilesAreIgnored(_ index: Int) throws {
        let nonsense: [[String: Any]] = [
            [:], ["user_id": 1], ["experiment_bucket_map": "text"], ["experiment_bucket_map": ["6": "62"]],
            ["experiment_bucket_map": ["6": ["variation_id": 62]]], ["experiment_bucket_map": ["6": [:]]],
            ["experiment_bucket_map": [6: ["variation_id": "62"]]], ["experiment_bucket_map": NSNull()],
            ["experiment_bucket_map": ["6": ["variation_id": "gone"]], "user_id": "somebody else"],
        ]
        setup.profiles.nonsense = nonsense[index]
        #expect(try variation() == "first")
        #expect(setup.user().decide(key: "tested").variationKey == "yes")
        #expect(setup.profiles.assignments(of: "ada")["3"] == "31")
    }

    @Test func aServiceMayCallTheClient() throws {
        let client = setup.client
        let depth = Counter()
        setup.profiles.onCall = {
            guard depth.value < 3 else { return }
            depth.add()
            #expect(client.createUserContext(userId: "ada").decide(key: "tested").variationKey == "yes")
            _ = try? client.getVariationKey(experimentKey: "sticky", userId: "ada")
            try? client.track(eventKey: "purchase", userId: "ada")
            client.close()
        }
        #expect(try variation() == "first")
        setup.profiles.onCall = {}
        #expect(setup.profiles.assignments(of: "ada") == ["3": "31", "6": "61"])
    }

    @Test func aSlowServiceBlocksNoTaskThread() async {
        let (setup, running, most) = (setup, Counter(), 8)
        // Blocks each call until all are running, which are more than there are threads for tasks.
        setup.profiles.onCall = {
            running.add()
            try? waitBlocking("all calls") { running.value == most }
        }
        await concurrently(0..<most) { index in _ = await setup.user("u\(index)").decideAsync(key: "rolled") }
        #expect(running.value == most)
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
