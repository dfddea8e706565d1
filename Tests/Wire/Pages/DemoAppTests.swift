// The calls of the demo app, except starting.

/// The standard dispatcher, which also records its events.
private final class NotingDispatcher: DefaultEventDispatcher {
    private let journal: Collected<String>

    init(_ journal: Collected<String>) {
        self.journal = journal
        super.init()
    }

    override func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {
        let isImpression = event.body.range(of: Data("campaign_activated".utf8)) != nil
        journal.add(isImpression ? "impression dispatched" : "conversion dispatched")
        super.dispatchEvent(event: event, completionHandler: completionHandler)
    }
}

@Suite(.blocking) struct DemoAppTests {
    private let network: TestNetwork
    private let sdkKey = unique("key")
    private let journal = Collected<String>()
    private let optimizely: OptimizelyClient

    init() throws {
        network = try TestNetwork()
        let (network, journal) = (network, journal)
        optimizely = network.optimizely(sdkKey, dispatcher: network.make { NotingDispatcher(journal) })
        try optimizely.start(datafile: PageDatafile(sdkKey: sdkKey).text)
    }

    private func listen() throws {
        let (center, journal) = (try #require(optimizely.notificationCenter), journal)
        _ = center.addDecisionNotificationListener(decisionListener: { (type, userId, attributes, decisionInfo) in
            journal.add("decision \(type)")
        })
        _ = center.addTrackNotificationListener(trackListener: { (eventKey, userId, attributes, eventTags, event) in
            journal.add("track \(eventKey) \(eventTags?["revenue"] ?? "")")
        })
        _ = center.addActivateNotificationListener(activateListener: {
            (experiment, userId, attributes, variation, event) in
            journal.add("activate \(experiment["key"] ?? "") \(variation["key"] ?? "")")
        })
        _ = center.addDatafileChangeNotificationListener(datafileListener: { (data) in
            journal.add("datafile \(data.count)")
        })
    }

    // MARK: Listeners

    @Test func decisionsAreDispatchedThenAnnounced() async throws {
        try listen()
        _ = optimizely.createUserContext(userId: "ada").decide(key: "flagKey")
        try await optimizely.closed()
        #expect(journal.all == ["impression dispatched", "activate test1 red", "decision flag"])
        #expect(try await network.impressions(1) == ["ada red"])
    }

    @Test func conversionsAreDispatchedThenAnnounced() async throws {
        try listen()
        try optimizely.createUserContext(userId: "ada").trackEvent(eventKey: "bought", eventTags: ["revenue": 1299])
        try await optimizely.closed()
        #expect(journal.all == ["conversion dispatched", "track bought 1299"])
        try await network.requests(Address.us, atLeast: 1)
        #expect(try network.events().map { $0.content["revenue"] } == [.integer(1299)])
    }

    @Test func resultsCanBeSwitchedOverWithADefault() async throws {
        try network.always(Address.datafile(sdkKey), .status(403))
        let printed = Collected<String>()
        optimizely.start { result in
            switch result {
            case .failure(let error): printed.add("failed: \(error)")
            case .success(let data): printed.add("\(data.count)")
            @unknown default: printed.add("unknown")
            }
        }
        try await wait("the result") { printed.count == 1 }
        #expect(printed.all[0].hasPrefix("failed: [Optimizely][Error] "))
    }

    // MARK: Printing, forcing, listing

    @Test func forcedDecisionsCanBeSetReadAndRemoved() {
        let user = optimizely.createUserContext(userId: "ada")
        let context = OptimizelyDecisionContext(flagKey: "flagKey", ruleKey: "test1")
        let forced = OptimizelyForcedDecision(variationKey: "blue")
        #expect(user.setForcedDecision(context: context, decision: forced))
        #expect(user.getForcedDecision(context: context) == forced)
        #expect(user.decide(key: "flagKey").variationKey == "blue")
        #expect(user.removeForcedDecision(context: context))
        #expect(!user.removeForcedDecision(context: context))
        #expect(user.decide(key: "flagKey").variationKey == "red")
        #expect(user.removeAllForcedDecisions())
    }
}
