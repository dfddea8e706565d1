/// The decisions that are sent, and their ids.
@Suite(.blocking) struct ImpressionTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    /// Ids in a datafile, and as sent to the receiver.
    struct Vector: Sendable, CustomStringConvertible {
        let (layer, experiment, variation): (String, String, String)
        let (campaign, sentVariation): (String, String?)
        var description: String { "\(layer.debugDescription) \(experiment) \(variation.debugDescription)" }

        init(_ layer: String, _ experiment: String, _ variation: String, _ campaign: String, _ sentVariation: String?) {
            (self.layer, self.experiment, self.variation) = (layer, experiment, variation)
            (self.campaign, self.sentVariation) = (campaign, sentVariation)
        }
    }

    private static let vectors = [
        Vector("555", "999", "777", "555", "777"), Vector("", "exp_42", "hv_a", "exp_42", nil),
        Vector("  ", "exp_42", "777", "exp_42", "777"), Vector(#"\t\n "#, "exp_42", "777", "exp_42", "777"),
        Vector("layer_abc", "9", "", "layer_abc", nil), Vector("layer_abc", "9", "v", "layer_abc", nil),
        Vector("555", "999", "007", "555", "007"), Vector("555", "999", "-1", "555", nil),
        Vector("555", "999", "1e3", "555", nil), Vector("555", "999", " 1", "555", nil),
        Vector("555", "999", "١٢٣", "555", nil), Vector(" 5", "999", "1", " 5", "1"),
    ]

    @Test(arguments: vectors) func idsHaveTheExpectedFormat(_ vector: Vector) async throws {
        // In the traffic allocation, an empty id means no variation.
        let rule = Datafile.Rule(
            id: vector.experiment, key: "vector", layer: vector.layer, variation: vector.variation,
            whitelist: vector.variation.isEmpty ? ["ada"] : [])
        let (old, new) = (try network.started(Datafile(more: [rule])), try network.client(Datafile(more: [rule])))
        #expect(old.createUserContext(userId: "ada").decide(key: "vector").variationKey == "on")
        _ = try old.activate(experimentKey: "vector", userId: "ada")
        #expect(new.user("ada").decide("vector").variationKey == "on")
        try await old.closed()
        await new.flush()
        let events = try network.events()
        #expect(events.count == 3)
        for event in events {
            #expect(event.decision?["campaign_id"] == .string(vector.campaign))
            #expect(event.content["entity_id"] == .string(vector.campaign))
            #expect(event.decision?["experiment_id"] == .string(vector.experiment))
            #expect(event.decision?["variation_id"] == vector.sentVariation.map { .string($0) } ?? .null)
        }
    }

    /// A short form of a sent decision.
    private func summary(_ event: SentEvent) -> String {
        let metadata = event.decision?["metadata"]
        let texts = ["flag_key", "rule_key", "rule_type", "variation_key"].map { metadata?[$0]?.text ?? "?" }
        let ids = ["campaign_id", "experiment_id"].map { event.decision?[$0]?.text ?? "?" }
        let variation = event.decision?["variation_id"]?.text ?? "null"
        return (texts + [metadata?["enabled"] == .bool(true) ? "on" : "off"] + ids + [variation])
            .map { $0.isEmpty ? "-" : $0 }.joined(separator: " ")
    }

    /// Without traffic: users are assigned by the datafile or by their stored profile.
    private static let withoutTraffic = [
        Datafile.Rule(id: "34", key: "listed", layer: "559", variation: "780", hasTraffic: false, whitelist: ["ada"]),
        Datafile.Rule(id: "35", key: "sticky", layer: "560", variation: "781", hasTraffic: false),
    ]

    private static let always = [
        "held five_percent holdout off off hold_55 hold_55 null", "tested tested_rule feature-test on on 555 31 777",
        "listed listed feature-test on on 559 34 780", "sticky sticky feature-test on on 560 35 781",
    ]
    private static let onlyWithAllDecisions = [
        "rolled delivery41 rollout served on R1 41 411", "loyal - rollout - off - - null",
        "bandit - rollout - off - - null", "empty - rollout - off - - null",
    ]

    @Test(arguments: [false, true]) func impressionsDependOnTheKindOfDecision(all: Bool) async throws {
        let datafile = Datafile(sendsFlagDecisions: all, more: Self.withoutTraffic)
        let expected = Self.always + (all ? Self.onlyWithAllDecisions : [])
        let profiles = MemoryProfileStore()
        profiles.save(["35": "781"], for: "ada")
        let new = try network.client(datafile) { $0.profiles = profiles }
        _ = new.user("ada").decideAll()
        _ = new.user("ada").decideAll(options: .disableDecisionEvent)
        _ = new.user("ada").decide("unknown")
        await new.flush()
        #expect(try network.events().map { summary($0) }.sorted() == expected.sorted())

        let service = network.make { DefaultUserProfileService() }
        service.save(userProfile: ["user_id": "ada", "experiment_bucket_map": ["35": ["variation_id": "781"]]])
        let old = try network.started(datafile, profiles: service)
        let user = old.createUserContext(userId: "ada")
        _ = user.decideAll(options: [.enabledFlagsOnly])
        for flag in ["tested", "held", "rolled", "loyal", "bandit", "empty", "listed", "sticky"] {
            _ = old.isFeatureEnabled(featureKey: flag, userId: "ada")
        }
        // None of these calls is a decision.
        _ = try old.getAllFeatureVariables(featureKey: "tested", userId: "ada")
        _ = old.isFeatureEnabled(featureKey: "unknown", userId: "ada")
        for rule in ["tested_rule", "listed", "sticky"] {
            #expect(try old.getVariationKey(experimentKey: rule, userId: "ada") == "on")
        }
        #expect(old.getForcedVariation(experimentKey: "tested_rule", userId: "ada") == nil)
        #expect(old.setForcedVariation(experimentKey: "tested_rule", userId: "ada", variationKey: "on"))
        #expect(old.getForcedVariation(experimentKey: "tested_rule", userId: "ada") == "on")
        _ = user.decideAll(options: [.disableDecisionEvent])
        try await old.closed()
        let sent = try network.events().dropFirst(expected.count).map { summary($0) }
        #expect(sent.sorted() == (expected + expected).sorted())
    }

    @Test func anActivationIsAlwaysSent() async throws {
        let client = try network.started(Datafile(sendsFlagDecisions: false))
        #expect(try client.activate(experimentKey: "old_experiment", userId: "ada") == "on")
        #expect(throws: OptimizelyError.self) { try client.activate(experimentKey: "unknown", userId: "ada") }
        try await client.closed()
        #expect(try network.events().map { summary($0) } == ["- old_experiment experiment on on 557 33 779"])
    }

    @Test func forcedDecisionsAreSentLikeTheDecisionTheyReplace() async throws {
        let client = try network.started(Datafile(sendsFlagDecisions: false))
        let user = client.createUserContext(userId: "ada")
        _ = user.setForcedDecision(
            context: OptimizelyDecisionContext(flagKey: "tested"),
            decision: OptimizelyForcedDecision(variationKey: "on"))
        _ = user.decide(key: "tested")
        _ = user.removeAllForcedDecisions()
        _ = user.setForcedDecision(
            context: OptimizelyDecisionContext(flagKey: "tested", ruleKey: "tested_rule"),
            decision: OptimizelyForcedDecision(variationKey: "on"))
        _ = user.decide(key: "tested")
        _ = user.setForcedDecision(
            context: OptimizelyDecisionContext(flagKey: "rolled", ruleKey: "delivery41"),
            decision: OptimizelyForcedDecision(variationKey: "served"))
        _ = user.decide(key: "rolled")
        try await client.closed()
        #expect(
            try network.events().map { summary($0) } == [
                "tested - feature-test on on - - 777", "tested tested_rule feature-test on on 555 31 777",
            ])
    }

    // MARK: Region
    // Events are sent to the region of their project.

    private let american = Datafile()
    private let european = Datafile(region: "EU")

    /// The users of each request to an address.
    private func users(_ address: String, region: String) throws -> [[String]] {
        let payloads = try network.payloads(address)
        #expect(payloads.allSatisfy { $0.region == region })
        return payloads.map { $0.events.map(\.user) }
    }

    @Test func theFacadeSendsThemToEuropeToo() async throws {
        let client = try network.started(european)
        _ = client.createUserContext(userId: "ada").decide(key: "tested")
        _ = try client.activate(experimentKey: "old_experiment", userId: "ada")
        try client.track(eventKey: "purchase", userId: "ada")
        try await client.closed()
        #expect(try users(Address.eu, region: "EU") == [["ada", "ada", "ada"]])
        #expect(try network.requests(Address.us).isEmpty)
    }

    @Test func regionsInASharedDispatcherNeverShareARequest() async throws {
        let dispatcher = network.make { DefaultEventDispatcher(batchSize: 100, backingStore: .memory) }
        let clients = try [american, european].map { try network.started($0, dispatcher: dispatcher) }
        for number in 0..<6 { try clients[number / 2 % 2].track(eventKey: "purchase", userId: "\(number)") }
        try await clients[0].closed()
        #expect(try users(Address.us, region: "US") == [["0", "1", "4", "5"]])
        #expect(try users(Address.eu, region: "EU") == [["2", "3"]])
    }
}
