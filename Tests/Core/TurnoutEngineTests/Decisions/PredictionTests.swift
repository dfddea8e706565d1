import Testing
import TurnoutEngine

/// A contextual bandit is decided in two steps: the evaluation requests a prediction, and runs again with it.
@Suite struct PredictionTests {
    private static let prediction = Prediction.variation(id: "12", uuid: "a-uuid")

    @Test func walkStopsForAPredictionAndRunsAgainWithIt() throws {
        let project = try Self.project()
        let user = User("u", attributes: ["age": 25, "$opt_bucketing_id": "somebody else"])
        let first = project.decide("flag", for: user, predictions: .received([:]), options: .includeReasons)
        #expect(first.stage == .needsPrediction)
        #expect(first.isError)
        #expect(first.variationKey == nil && first.ruleKey == nil && !first.isEnabled)
        #expect(first.variables.all.isEmpty)
        #expect(first.impression == nil && first.notification == nil && first.assignment == nil)
        let request = try #require(first.predictionRequest(for: user))
        #expect(request == PredictionRequest(userID: "u", ruleID: "1", attributes: [("20", 25)]))
        let second = project.decide(
            "flag", for: user, predictions: .received([request.ruleID: Self.prediction]), options: .includeReasons)
        #expect(second.stage == .predicted)
        #expect(second.variationKey == "b" && second.ruleKey == "rule1" && second.isEnabled)
        #expect(second.predictionUUID == "a-uuid")
        #expect(second.impression?.predictionUUID == "a-uuid")
        #expect(second.impression?.ruleType == "feature-test")
        #expect(second.assignment == nil)
        #expect(second.predictionRequest(for: user) == nil)
        #expect(
            second.reasons == [
                .predicted(variationID: "12", uuid: "a-uuid", experiment: "rule1"),
                .inExperiment(variation: "b", experiment: "rule1", user: "u"),
            ])
    }

    @Test func banditsAreSkippedWithoutAPredictionSource() throws {
        let decision = try Self.project().decide("flag", for: User("u"), options: .includeReasons)
        #expect(decision.stage == .rollout)
        #expect(decision.reasons.prefix(2) == [.predictionUnavailable, .inNoVariation(user: "u")])
    }

    @Test func failedPredictionsAreErrorsAndEndTheWalk() throws {
        let project = try Self.project()
        let failed = Predictions.received(["1": .failed])
        let decision = project.decide("flag", for: User("u"), predictions: failed)
        #expect(decision.stage == .predictionFailed)
        #expect(decision.isError)
        #expect(decision.reasons == [.predictionFailed(experiment: "rule1")])
        #expect(decision.impression == nil && decision.notification == nil)
        #expect(decision.variables.all.isEmpty)
        let explained = project.decide("flag", for: User("u"), predictions: failed, options: .includeReasons)
        #expect(explained.reasons == [.predictionFailed(experiment: "rule1"), .inNoVariation(user: "u")])
        let batch = project.decide(["flag"], for: User("u"), predictions: failed, options: .enabledFlagsOnly)
        #expect(batch.decisions.count == 1 && batch.selected.isEmpty)
    }

    @Test func unknownVariationsAreMisses() throws {
        let received = Predictions.received(["1": .variation(id: "gone", uuid: "x")])
        let decision = try Self.project().decide(
            "flag", for: User("u"), predictions: received, options: .includeReasons)
        #expect(decision.stage == .rollout)
        #expect(decision.predictionUUID == nil)
        #expect(
            decision.reasons.prefix(2) == [
                .predicted(variationID: "gone", uuid: "x", experiment: "rule1"), .inNoVariation(user: "u"),
            ])
    }

    /// The user's bucket in experiment 1 is 4732.
    @Test(arguments: [(0, false), (4_732, false), (4_733, true), (10_000, true), (99_999_999_999, true), (-1, false)])
    func predictionsAreRequestedOnlyWithinTheTraffic(traffic: Int, isAsked: Bool) throws {
        let decision = try Self.project(traffic: traffic)
            .decide("flag", for: User("u"), predictions: .received([:]), options: .includeReasons)
        #expect(decision.stage == (isAsked ? .needsPrediction : .rollout))
        guard !isAsked else { return }
        #expect(decision.reasons.first == .notInPredictionTraffic(experiment: "rule1", user: "u"))
    }

    @Test func otherDecisionsRequestNoPrediction() throws {
        let project = try Self.project()
        let received = Predictions.received([:])
        #expect(project.decide("flag", for: User("listed"), predictions: received).stage == .whitelist)
        let profile = UserProfile(["1": "11"])
        for predictions in [received, .unavailable] {
            let decision = project.decide("flag", for: User("u"), profile: profile, predictions: predictions)
            #expect(decision.stage == .storedAssignment)
        }
        let outside = try Self.project(audience: #"["or"]"#)
        #expect(outside.decide("flag", for: User("u"), predictions: received).stage == .rollout)
    }

    /// A second bandit is reached only if the first has no variation for the user.
    @Test func walkMayRequestSeveralPredictions() throws {
        let rules = ["1", "3"].map { SmallDatafile.rule($0) { $0.more = Self.bandit(traffic: 10_000) } }
        let project = try SmallDatafile(
            experiments: rules.joined(separator: ","), flags: SmallDatafile.flag("flag", experiments: ["1", "3"])
        ).project()
        var received = ["1": Prediction.variation(id: "gone", uuid: "x")]
        let first = project.decide("flag", for: User("u"), predictions: .received(received))
        #expect(first.predictionRequest(for: User("u"))?.ruleID == "3")
        received["3"] = .variation(id: "31", uuid: "y")
        let second = project.decide("flag", for: User("u"), predictions: .received(received))
        #expect(second.stage == .predicted && second.ruleKey == "rule3" && second.predictionUUID == "y")
    }

    @Test func batchesRequestAllPredictionsTogether() throws {
        let rules = ["1", "3"].map { SmallDatafile.rule($0) { $0.more = Self.bandit(traffic: 10_000) } }
        let flags = ["1", "3"].map { SmallDatafile.flag("flag \($0)", experiments: [$0]) }
        let project = try SmallDatafile(
            experiments: rules.joined(separator: ","),
            flags: (flags + [SmallDatafile.flag("plain")]).joined(separator: ",")
        ).project()
        let user = User("u")
        let first = project.decideAll(for: user, predictions: .received([:]))
        #expect(first.predictionRequests(for: user).map(\.ruleID) == ["1", "3"])
        let received = ["1": Prediction.failed, "3": .variation(id: "31", uuid: "y")]
        let second = project.decideAll(for: user, predictions: .received(received))
        #expect(second.predictionRequests(for: user).isEmpty)
        #expect(second.decisions.map(\.stage) == [.predictionFailed, .predicted, .noRule])
        #expect(second.assignments.isEmpty)
    }

    // MARK: Requests

    @Test func requestsContainOnlyTheExperimentsAttributes() throws {
        let project = try Self.project()
        func attributes(_ values: Attributes) -> [String] {
            let user = User("u", attributes: values)
            let decision = project.decide("flag", for: user, predictions: .received([:]))
            return decision.predictionRequest(for: user)?.attributes.map { "\($0.id)=\($0.value)" } ?? ["no request"]
        }
        #expect(attributes([:]) == [])
        #expect(attributes(["age": 25, "city": "SF", "other": 1]) == ["20=25", "21=SF"])
        #expect(attributes(["city": .null]) == ["21=nil"])
    }

    @Test(
        arguments: [
            ([:], "84ff377c"), (["71": 25, "72": "SF"], "46b6baf3"), (["71": 25], "b9b24525"),
            (["71": 25.0], "b9b24525"),
            (["71": true], "e59d6128"), (["71": 1.5], "b5d1dec7"), (["71": .null], "30474405"),
            (["10": "y", "9": "x"], "8a263771"), (["71": .double(.nan)], "84ff377c"),
            (["70": .double(.nan), "71": 25], "b9b24525"),
        ] as [([String: AttributeValue], String)])
    func fingerprintsOfAttributesAreThoseOfTheVendor(attributes: [String: AttributeValue], hash: String) {
        let request = PredictionRequest(
            userID: "u", ruleID: "r", attributes: attributes.map { (id: $0.key, value: $0.value) })
        #expect(request.attributesHash == hash)
    }

    @Test(arguments: [("test-user", "9-test-user-exp-1"), ("e\u{301}", "1-e\u{301}-exp-1"), ("🙂a", "2-🙂a-exp-1")])
    func cacheKeysCountCharacters(user: String, key: String) {
        #expect(PredictionRequest(userID: user, ruleID: "exp-1", attributes: []).cacheKey == key)
    }

    // MARK: Helpers

    private static func bandit(traffic: Int) -> String {
        #""cmab": {"attributeIds": ["21", "20", "missing"], "trafficAllocation": \#(traffic)},"#
    }

    private static func project(traffic: Int = 10_000, audience: String? = nil) throws -> Project {
        let experiment = SmallDatafile.rule("1") {
            $0.variations = [("a", true), ("b", true)]
            $0.ends = []
            $0.audience = audience
            $0.whitelist = ["listed": "a"]
            $0.more = bandit(traffic: traffic)
        }
        return try SmallDatafile(
            experiments: experiment, rollouts: SmallDatafile.rollout("R", SmallDatafile.rule("9")),
            flags: SmallDatafile.flag(
                "flag", experiments: ["1"], rollout: "R", variables: #"{"id": "v", "key": "text", "type": "string"}"#),
            attributes: #"{"id": "20", "key": "age"}, {"id": "21", "key": "city"}"#
        ).project()
    }
}
