/// The arguments of listeners, member by member, and the calls that notify them.
@Suite(.ownThread) struct PayloadTests {
    private let setup: TestSetup
    private let received = RecordedNotifications()
    private var client: OptimizelyClient { setup.client }

    init() throws {
        setup = try TestSetup()
        received.listen(to: setup.center)
    }

    private func infos(_ type: String) -> [[String: Any]] {
        setup.settle()
        return received.decisions.filter { $0.type == type }.map(\.info)
    }

    // MARK: Decisions of older calls

    @Test func anExperimentOfNoFlag() throws {
        _ = try client.getVariationKey(experimentKey: "ab", userId: "u")
        _ = reason { _ = try client.activate(experimentKey: "nobody", userId: "u") }
        let infos = infos("ab-test")
        #expect(infos.count == 2 && infos.allSatisfy { Set($0.keys) == ["experimentKey", "variationKey"] })
        #expect(infos[0]["experimentKey"] as? String == "ab" && infos[0]["variationKey"] as? String == "on")
        #expect(infos[1]["variationKey"] is NSNull)
        #expect(received.decisions.allSatisfy { $0.user == "u" && $0.attributes?.isEmpty == true })
    }

    @Test func anExperimentOfAFlag() throws {
        _ = try client.getVariationKey(experimentKey: "tested_rule", userId: "u", attributes: ["a": nil])
        let info = try #require(infos("feature-test").first)
        #expect(info as? [String: String] == ["experimentKey": "tested_rule", "variationKey": "yes"])
        let attributes = try #require(received.decisions.first?.attributes)
        #expect(attributes.count == 1 && attributes.contains { $0.key == "a" && $0.value == nil })
    }

    @Test(arguments: [
        ("tested", true, "feature-test", ["experimentKey": "tested_rule", "variationKey": "yes"]),
        ("rolled", true, "rollout", ["experimentKey": "delivery", "variationKey": "served"]),
        ("held", false, "holdout", ["experimentKey": "holdout", "variationKey": "held_out"]),
        ("empty", false, "rollout", [:]), ("bandit", false, "rollout", [:]),
    ])
    func aFlag(_ flag: String, _ enabled: Bool, _ source: String, _ sourceInfo: [String: String]) throws {
        #expect(client.isFeatureEnabled(featureKey: flag, userId: "u") == enabled)
        let info = try #require(infos("feature").first)
        #expect(Set(info.keys) == ["featureKey", "featureEnabled", "source", "sourceInfo"])
        #expect(info["featureKey"] as? String == flag && info["featureEnabled"] as? Bool == enabled)
        #expect(info["source"] as? String == source && info["sourceInfo"] as? [String: String] == sourceInfo)
    }

    @Test func oneNotificationForEachEnabledFeature() {
        #expect(client.getEnabledFeatures(userId: "u") == ["tested", "rolled"])
        #expect(
            infos("feature").map { $0["featureKey"] as? String }
                == ["tested", "rolled", "empty", "held", "bandit", "broken", "endless"])
    }

    @Test func aVariable() throws {
        _ = try client.getFeatureVariableString(featureKey: "tested", variableKey: "s", userId: "u")
        _ = try client.getFeatureVariableInteger(featureKey: "tested", variableKey: "i", userId: "u")
        _ = try client.getFeatureVariableDouble(featureKey: "tested", variableKey: "d", userId: "u")
        _ = try client.getFeatureVariableBoolean(featureKey: "tested", variableKey: "b", userId: "u")
        _ = try client.getFeatureVariableJSON(featureKey: "tested", variableKey: "j", userId: "u")
        let infos = infos("feature-variable")
        let keys: Set = [
            "featureKey", "featureEnabled", "source", "sourceInfo", "variableKey", "variableType", "variableValue",
        ]
        #expect(infos.count == 5 && infos.allSatisfy { Set($0.keys) == keys })
        #expect(infos.map { $0["variableType"] as? String } == ["string", "integer", "double", "boolean", "json"])
        let values = infos.map { $0["variableValue"] }
        #expect(values[0] as? String == "changed" && values[1] as? Int == 5 && values[2] as? Double == 2.5)
        #expect(values[3] as? Bool == true && (values[4] as? [String: Any])?["a"] as? Int == 1)
        #expect(values[1].map { type(of: $0) == Int.self } == true)
        #expect(values[3].map { type(of: $0) == Bool.self } == true)
    }

    @Test func allVariables() throws {
        _ = try client.getAllFeatureVariables(featureKey: "tested", userId: "u")
        let info = try #require(infos("all-feature-variables").first)
        #expect(Set(info.keys) == ["featureKey", "featureEnabled", "source", "sourceInfo", "variableValues"])
        #expect(Set(try #require(info["variableValues"] as? [String: Any]).keys) == ["s", "i", "d", "b", "j"])
    }

    // MARK: Decisions of flags

    private static let flagKeys: Set = [
        "flagKey", "enabled", "variables", "variationKey", "ruleKey", "reasons", "decisionEventDispatched",
        "experimentId", "variationId",
    ]

    @Test(arguments: [
        ("tested", "yes", "tested_rule", "3", "31", true), ("rolled", "served", "delivery", "7", "71", false),
        ("held", "held_out", "holdout", "8", "81", true),
    ])
    func aDecision(
        _ flag: String, _ variation: String, _ rule: String, _ ruleID: String, _ id: String, _ isSent: Bool
    ) throws {
        let decision = setup.user().decide(key: flag)
        let info = try #require(infos("flag").first)
        #expect(Set(info.keys) == Self.flagKeys)
        #expect(info["flagKey"] as? String == flag && info["enabled"] as? Bool == decision.enabled)
        #expect(info["variationKey"] as? String == variation && info["ruleKey"] as? String == rule)
        #expect(info["experimentId"] as? String == ruleID && info["variationId"] as? String == id)
        #expect(info["decisionEventDispatched"] as? Bool == isSent && info["reasons"] as? [String] == [])
        let variables = try #require(info["variables"] as? [String: Any])
        #expect(Set(variables.keys) == (flag == "tested" ? ["s", "i", "d", "b", "j"] : []))
    }

    @Test func aDecisionWithoutAVariation() throws {
        _ = setup.user().decide(key: "empty", options: [.includeReasons])
        let info = try #require(infos("flag").first)
        #expect(Set(info.keys) == Self.flagKeys)
        for key in ["variationKey", "ruleKey", "experimentId", "variationId"] { #expect(info[key] is NSNull) }
        #expect(info["decisionEventDispatched"] as? Bool == false && info["enabled"] as? Bool == false)
        #expect((info["reasons"] as? [String])?.isEmpty == false)
    }

    @Test func optionsAreVisibleInADecision() throws {
        let user = setup.user()
        _ = user.decide(key: "tested", options: [.disableDecisionEvent, .excludeVariables])
        let info = try #require(infos("flag").first)
        #expect((info["variables"] as? [String: Any])?.isEmpty == true)
        #expect(info["decisionEventDispatched"] as? Bool == false)
        #expect(received.activations.isEmpty && setup.dispatcher.events.isEmpty)
    }

    @Test func aForcedDecisionForAWholeFlagHasNoRule() throws {
        let user = setup.user()
        _ = user.setForcedDecision(
            context: OptimizelyDecisionContext(flagKey: "tested"),
            decision: OptimizelyForcedDecision(variationKey: "no"))
        _ = user.decide(key: "tested")
        let info = try #require(infos("flag").first)
        #expect(Set(info.keys) == Self.flagKeys && info["ruleKey"] is NSNull && info["experimentId"] is NSNull)
        #expect(info["variationKey"] as? String == "no" && info["variationId"] as? String == "32")
        #expect(setup.dispatcher.events.count == 1 && received.activations.isEmpty)
    }

    @Test func filteredDecisionsAreAnnouncedToo() {
        #expect(Set(setup.user().decideAll(options: [.enabledFlagsOnly]).keys) == ["tested", "rolled"])
        #expect(infos("flag").count == 7)
    }

    // MARK: Without a notification

    @Test func failuresAreNotAnnounced() throws {
        let user = setup.user()
        _ = user.decide(keys: ["x", "y"])
        _ = user.decide(key: "x")
        _ = client.isFeatureEnabled(featureKey: "x", userId: "u")
        let failures: [() throws -> Void] = [
            { _ = try client.activate(experimentKey: "x", userId: "u") },
            { _ = try client.getFeatureVariableString(featureKey: "tested", variableKey: "i", userId: "u") },
            { _ = try client.getFeatureVariableInteger(featureKey: "broken", variableKey: "bad", userId: "u") },
            { _ = try client.getAllFeatureVariables(featureKey: "endless", userId: "u") },
            { try client.track(eventKey: "x", userId: "u") },
        ]
        for failure in failures { #expect(reason(failure) != nil) }
        #expect(client.setForcedVariation(experimentKey: "ab", userId: "u", variationKey: "on"))
        setup.settle()
        #expect(received.decisions.isEmpty && received.activations.isEmpty && received.conversions.isEmpty)
        #expect(setup.dispatcher.events.isEmpty)
    }

    @Test func aPredictionThatFailsIsNotAnnounced() async throws {
        var environment = HostEnvironment.withManualClock
        environment.predictions = MemoryPredictionSource()
        let setup = try TestSetup(environment: environment)
        received.listen(to: setup.center)
        let decision = await setup.user().decideAsync(key: "bandit")
        setup.settle()
        #expect(decision.variationKey == nil && !decision.reasons.isEmpty)
        #expect(received.decisions.isEmpty && setup.dispatcher.events.isEmpty)
    }
}

/// Records the arguments of all listeners.
final class RecordedNotifications: @unchecked Sendable {
    typealias Decision = (type: String, user: String, attributes: OptimizelyAttributes?, info: [String: Any])
    typealias Activation = (
        experiment: [String: Any], user: String, attributes: OptimizelyAttributes?, variation: [String: Any],
        event: [String: Any]
    )
    typealias Conversion = (
        key: String, user: String, attributes: OptimizelyAttributes?, tags: [String: Any]?, event: [String: Any]
    )

    // Written on one queue, and read after it is drained.
    private(set) var decisions: [Decision] = []
    private(set) var activations: [Activation] = []
    private(set) var conversions: [Conversion] = []
    private(set) var datafiles: [Data] = []

    func listen(to center: any OPTNotificationCenter) {
        _ = center.addDecisionNotificationListener { self.decisions.append(($0, $1, $2, $3)) }
        _ = center.addActivateNotificationListener { self.activations.append(($0, $1, $2, $3, $4)) }
        _ = center.addTrackNotificationListener { self.conversions.append(($0, $1, $2, $3, $4)) }
        _ = center.addDatafileChangeNotificationListener { self.datafiles.append($0) }
    }
}
