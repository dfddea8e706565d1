/// A contextual bandit is decided in two steps: the evaluation requests a prediction, and runs again with it.
@Suite struct PredictionTests {
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
        let rules = ["1", "3"].map { SmallDatafile.rule($0) { $0.more = Self.bandit } }
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

    // MARK: Requests

    @Test(
        arguments: [
            ([:], "84ff377c"), (["71": 25, "72": "SF"], "46b6baf3"), (["71": 25], "b9b24525"),
            (["71": 25.0], "b9b24525"), (["71": true], "e59d6128"), (["71": 1.5], "b5d1dec7"),
            (["71": .null], "30474405"), (["10": "y", "9": "x"], "8a263771"), (["71": .double(.nan)], "84ff377c"),
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

    private static let bandit = #""cmab": {"attributeIds": ["21", "20", "missing"], "trafficAllocation": 10000},"#

    private static func project(audience: String? = nil) throws -> Project {
        let experiment = SmallDatafile.rule("1") {
            $0.variations = [("a", true), ("b", true)]
            $0.ends = []
            $0.audience = audience
            $0.whitelist = ["listed": "a"]
            $0.more = bandit
        }
        return try SmallDatafile(
            experiments: experiment, rollouts: SmallDatafile.rollout("R", SmallDatafile.rule("9")),
            flags: SmallDatafile.flag(
                "flag", experiments: ["1"], rollout: "R", variables: #"{"id": "v", "key": "text", "type": "string"}"#),
            attributes: #"{"id": "20", "key": "age"}, {"id": "21", "key": "city"}"#
        ).project()
    }
}
