import Foundation
import Optimizely
import Testing

// What the demo app does beside starting.

@Suite(.ownThread) struct DemoAppTests {
    private let journal = Journal()
    private let optimizely: OptimizelyClient

    init() throws {
        optimizely = OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: PageEvents(journal),
            datafileHandler: PageDatafiles())
        try optimizely.start(datafile: PageDatafile.text())
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

    @Test func decisionsAreDispatchedThenAnnounced() throws {
        try listen()
        _ = optimizely.createUserContext(userId: "ada").decide(key: "flagKey")
        optimizely.close()
        #expect(journal.lines == ["impression dispatched", "activate test1 red", "decision flag"])
    }

    @Test func activationsAreAnnouncedAsDecisionsFirst() throws {
        try listen()
        #expect(try optimizely.activate(experimentKey: "test1", userId: "ada") == "red")
        optimizely.close()
        #expect(journal.lines == ["decision feature-test", "impression dispatched", "activate test1 red"])
    }

    @Test func flagsOfTheOlderCallsAreDispatchedThenAnnounced() throws {
        try listen()
        #expect(optimizely.isFeatureEnabled(featureKey: "flagKey", userId: "ada"))
        optimizely.close()
        #expect(journal.lines == ["impression dispatched", "activate test1 red", "decision feature"])
    }

    @Test func conversionsAreDispatchedThenAnnounced() throws {
        try listen()
        try optimizely.createUserContext(userId: "ada").trackEvent(eventKey: "bought", eventTags: ["revenue": 1299])
        optimizely.close()
        #expect(journal.lines == ["conversion dispatched", "track bought 1299"])
    }

    @Test func severalFlagsComeOneAfterTheOther() throws {
        try listen()
        _ = optimizely.createUserContext(userId: "ada").decide(keys: ["flag1", "flagKey", "nope"])
        optimizely.close()
        #expect(journal.lines == ["decision flag", "impression dispatched", "activate test1 red", "decision flag"])
    }

    @Test func resultsCanBeSwitchedOverWithADefault() {
        let journal = Journal()
        optimizely.start { result in
            switch result {
            case .failure(let error): journal.add("failed: \(error)")
            case .success(let data): journal.add("\(data.count)")
            @unknown default: journal.add("unknown")
            }
        }
        #expect(journal.lines.count == 1 && journal.lines[0].hasPrefix("failed: [Optimizely][Error] "))
    }

    // MARK: Printing, forcing, listing

    @Test func decisionsPrintTheirParts() {
        let user = optimizely.createUserContext(userId: "ada", attributes: ["app_version": "1.3.2"])
        let decision = user.decide(key: "flagKey", options: [.includeReasons])
        #expect(
            "\(decision)" == """
                {
                  variationKey: "red"
                  enabled: true
                  variables: ["color": "#f00"]
                  ruleKey: "test1"
                  flagKey: "flagKey"
                  userContext: { userId: ada, attributes: ["app_version": Optional("1.3.2")] }
                  reasons: [
                    - User (ada) is in variation (red) of experiment (test1)
                  ]
                }
                """)
        #expect(decision.variables.toMap() as? [String: String] == ["color": "#f00"])
    }

    @Test func forcedDecisionsAreMadeReadAndRemoved() {
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

    @Test func theListingOfTheDatafileCanBeTraversed() throws {
        let config = try optimizely.getOptimizelyConfig()
        #expect(config.revision == "1" && config.sdkKey == "page key" && config.environmentKey == "page")
        var lines: [String] = []
        for (key, feature) in config.featuresMap.sorted(by: { $0.key < $1.key }) {
            let variables = feature.variablesMap.values.map { "\($0.key): \($0.type) = \($0.value)" }
            lines.append("\(key): \(variables)")
            for rule in feature.experimentRules + feature.deliveryRules {
                for variation in rule.variationsMap.values.sorted(by: { $0.key < $1.key }) {
                    let values = variation.variablesMap.values.map(\.value)
                    lines.append("\(rule.key) \(variation.key) \(variation.featureEnabled ?? false) \(values)")
                }
            }
        }
        #expect(
            lines == [
                "flag1: []", "rule2 on true []", #"flagKey: ["color: string = none"]"#, #"test1 blue true ["none"]"#,
                ##"test1 red true ["#f00"]"##,
            ])
    }
}
