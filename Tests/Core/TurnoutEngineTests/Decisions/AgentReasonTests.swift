/// The texts are those of the vendor's Go client.
@Suite struct AgentReasonTests {
    private static let missing = #"["and", {"match": "exact", "name": "x", "type": "custom_attribute", "value": "1"}]"#
    private static let unknown = #"an error occurred while evaluating nested tree for audience ID "A""#

    private static func reasons(
        _ change: (inout SmallDatafile) -> Void, user: User = User("u"), profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, experiment: (inout RuleDraft) -> Void = { _ in }
    ) throws -> [String] {
        var datafile = SmallDatafile(
            experiments: SmallDatafile.rule("1", experiment),
            flags: SmallDatafile.flag("flag", experiments: ["1"], rollout: "R"),
            typedAudiences: SmallDatafile.audience("A", missing))
        change(&datafile)
        let project = try datafile.project()
        return project.decide("flag", for: user, profile: profile, predictions: predictions, options: .includeReasons)
            .agentReasons
    }

    @Test func experiments() throws {
        let admitted = "Audiences for experiment rule1 collectively evaluated to true."
        #expect(try Self.reasons { _ in } == [admitted])
        let refused = [
            Self.unknown, "Audiences for experiment rule1 collectively evaluated to false.",
            #"User "u" does not meet conditions to be in experiment "rule1"."#,
            #"Rollout with ID "" is not in the datafile."#,
        ]
        #expect(try Self.reasons({ _ in }, experiment: { $0.audience = #"["or", "A"]"# }) == refused)
        let absent = try Self.reasons({ _ in }, experiment: { $0.audience = #"["or", "B"]"# })
        #expect(absent.first == #"unable to evaluate nested tree for audience ID "B""#)
    }

    @Test func choicesBeforeBucketing() throws {
        let whitelisted = try Self.reasons({ _ in }, experiment: { $0.whitelist = ["u": "1a"] })
        #expect(whitelisted == [#"User "u" is whitelisted into variation "1a" of experiment "rule1"."#])
        let invalid = try Self.reasons({ _ in }, experiment: { $0.whitelist = ["u": "x"] })
        #expect(invalid.first == #"User "u" is whitelisted into variation "x", which is not in the datafile."#)
        let stored = try Self.reasons({ _ in }, profile: UserProfile(["1": "11"]))
        #expect(stored == [#"User "u" was previously bucketed into variation "1a" of experiment "rule1"."#])
        var user = User("u")
        user.forcedVariations = ["1": "11"]
        #expect(try Self.reasons({ _ in }, user: user) == ["Override variation 1a found for user u"])
    }

    @Test func forcedDecisions() throws {
        var user = User("u")
        user.forcedDecisions[DecisionContext(flag: "flag", rule: "rule1")] = "1a"
        let rule = "Variation (1a) is mapped to flag (flag), rule (rule1) and user (u) in the forced decision map."
        #expect(try Self.reasons({ _ in }, user: user) == [rule])
        user.forcedDecisions = [DecisionContext(flag: "flag"): "x"]
        let invalid = "Invalid variation is mapped to flag (flag) and user (u) in the forced decision map."
        #expect(try Self.reasons({ _ in }, user: user).first == invalid)
    }

    private static func rollout(_ first: @escaping (inout RuleDraft) -> Void) throws -> [String] {
        try reasons { datafile in
            datafile.experiments = ""
            datafile.rollouts = SmallDatafile.rollout("R", SmallDatafile.rule("8", first), SmallDatafile.rule("9"))
        }
    }

    @Test func rollouts() throws {
        #expect(try Self.rollout { _ in } == ["Audiences for experiment rule8 collectively evaluated to true."])
        let everyoneElse = [
            "Audiences for experiment rule9 collectively evaluated to true.",
            #"User "u" meets conditions for targeting rule "Everyone Else"."#,
        ]
        let refused = [Self.unknown, #"User "u" does not meet conditions for targeting rule 1."#]
        #expect(try Self.rollout { $0.audience = #"["or", "A"]"# } == refused + everyoneElse)
        let outside = ["Audiences for experiment rule8 collectively evaluated to true."]
        #expect(try Self.rollout { $0.ends = [0] } == outside + everyoneElse)
        // The audience of a rule is evaluated twice, and so is what is unknown in it.
        let partly = #"["or", "A", ["not", ["and", {"match": "exists", "name": "y", "type": "custom_attribute"}]]]"#
        #expect(try Self.rollout { $0.audience = partly } == [Self.unknown, Self.unknown] + outside)
    }

    @Test func globalHoldouts() throws {
        func held(_ change: (inout RuleDraft) -> Void) throws -> [String] {
            try Self.reasons { $0.holdouts = SmallDatafile.rule("70", change) }
        }
        let admitted = [
            "Audiences for holdout rule70 collectively evaluated to true.",
            "User u meets conditions for holdout rule70.",
        ]
        #expect(try held { _ in } == admitted + ["User u is in variation 70a of holdout rule70."])
        #expect(try held { $0.ends = [0] }.prefix(3) == admitted + ["User u is in no holdout variation."])
        let refused = [
            Self.unknown, "Audiences for holdout rule70 collectively evaluated to false.",
            "User u does not meet conditions for holdout rule70.",
        ]
        #expect(try held { $0.audience = #"["or", "A"]"# }.prefix(3) == refused[...])
        #expect(try held { $0.status = "Draft" }.first == "Holdout rule70 is not running.")
    }

    @Test func localHoldouts() throws {
        func held(_ change: (inout RuleDraft) -> Void) throws -> [String] {
            try Self.reasons { datafile in
                datafile.localHoldouts = SmallDatafile.rule("80") { draft in
                    draft.guarded = #""1""#
                    change(&draft)
                }
            }
        }
        let admitted = [
            "Audiences for holdout rule80 collectively evaluated to true.",
            "User u meets conditions for local holdout rule80.",
        ]
        let place = "local holdout rule80 for rule 1."
        #expect(try held { _ in } == admitted + ["User u is in variation 80a of \(place)"])
        #expect(try held { $0.ends = [0] }.prefix(3) == admitted + ["User u is not bucketed into \(place)"])
        #expect(try held { $0.status = "Draft" }.first == "Local holdout rule80 is not running.")
    }

    @Test func contextualBandits() throws {
        func predicted(_ prediction: Prediction?, traffic: Int = 10_000, audience: String? = nil) throws -> [String] {
            let predictions = prediction.map { Predictions.received(["1": $0]) } ?? .unavailable
            return try Self.reasons({ _ in }, predictions: predictions) { draft in
                draft.audience = audience
                draft.more = #""cmab": {"attributeIds": [], "trafficAllocation": \#(traffic)},"#
            }
        }
        let admitted = "Audiences for experiment rule1 collectively evaluated to true."
        #expect(
            try predicted(.variation(id: "11", uuid: "x"))
                == [admitted, "User bucketed into variation 1a by CMAB service"])
        #expect(
            try predicted(.variation(id: "99", uuid: "x")).dropLast()
                == [admitted, "variation with ID 99 not found in experiment 1"])
        #expect(try predicted(.failed) == ["Failed to fetch CMAB data for experiment rule1."])
        #expect(try predicted(nil).dropLast() == [admitted, "CMAB service is not available"])
        #expect(
            try predicted(.failed, traffic: 0).dropLast()
                == [admitted, "User u not in CMAB experiment rule1 due to traffic allocation"])
        #expect(
            try predicted(.failed, audience: #"["or", "A"]"#).dropLast().last
                == "User u not in audience for CMAB experiment rule1")
    }

    @Test func conditionsThatCannotBeEvaluated() throws {
        func text(_ condition: String) throws -> String? {
            try Self.reasons { _ in
            } experiment: {
                $0.audience = "[\"or\", \(condition)]"
            }.first
        }
        #expect(
            try text(#"{"match": "like", "name": "x", "type": "custom_attribute", "value": "1"}"#)
                == #"invalid Condition matcher "like""#)
        #expect(
            try text(#"{"match": "exact", "name": "x", "type": "other", "value": "1"}"#)
                == #"unable to evaluate condition of type "other""#)
    }

    @Test func errorsAreReportedWithoutBeingAsked() throws {
        let project = try SmallDatafile(
            flags: SmallDatafile.flag(
                "flag", variables: #"{"id": "v", "key": "n", "type": "integer", "defaultValue": "x"}"#)
        ).project()
        #expect(project.decide("none", for: User("u")).agentReasons == [#"No flag was found for key "none"."#])
        let invalid = #"Variable value for key "n" is invalid or wrong type."#
        #expect(project.decide("flag", for: User("u")).agentReasons == [invalid])
        #expect(Decision.notReady("flag").agentReasons == ["Optimizely SDK not configured properly yet."])
    }
}
