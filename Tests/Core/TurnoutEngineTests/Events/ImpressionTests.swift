import Testing
import TurnoutEngine

/// The events to send, and the notifications for listeners.
@Suite struct ImpressionTests {
    @Test(arguments: [false, true]) func experimentsAndHoldoutsAreAlwaysSentOthersOnRequest(isAsked: Bool) throws {
        let project = try Self.project(sendFlagDecisions: isAsked)
        func isSent(_ flag: String, _ user: User = User("u")) -> Bool {
            project.decide(flag, for: user).impression != nil
        }
        #expect(isSent("tested"))
        #expect(isSent("held"))
        #expect(isSent("rollout") == isAsked)
        #expect(isSent("empty") == isAsked)
        #expect(!isSent("unknown"))
        var forced = User("u")
        forced.forcedDecisions = [DecisionContext(flag: "rollout"): "9a"]
        #expect(isSent("rollout", forced))
        forced.forcedDecisions = [DecisionContext(flag: "rollout", rule: "rule9"): "9a"]
        #expect(isSent("rollout", forced) == isAsked)
    }

    @Test func experimentsNameTheirCampaign() throws {
        let impression = try #require(Self.project().decide("tested", for: User("u")).impression)
        #expect(impression.campaignID == "layer")
        #expect(impression.experimentID == "1" && impression.variationID == "11")
        #expect(impression.flagKey == "tested" && impression.ruleKey == "rule1" && impression.variationKey == "1a")
        #expect(impression.ruleType == "feature-test")
        #expect(impression.isEnabled)
        #expect(impression.predictionUUID == nil)
    }

    @Test func holdoutsAreTheirOwnCampaign() throws {
        let impression = try #require(Self.project().decide("held", for: User("u")).impression)
        #expect(impression.campaignID == "80" && impression.experimentID == "80" && impression.variationID == "801")
        #expect(impression.ruleType == "holdout" && impression.ruleKey == "rule80")
        #expect(!impression.isEnabled)
    }

    @Test func forcedFlagsNameNoRule() throws {
        var user = User("u")
        user.forcedDecisions[DecisionContext(flag: "tested")] = "1a"
        let impression = try #require(Self.project().decide("tested", for: user).impression)
        #expect(impression.campaignID == "" && impression.experimentID == "" && impression.ruleKey == "")
        #expect(impression.variationID == "11" && impression.variationKey == "1a")
        #expect(impression.ruleType == "feature-test")
    }

    @Test func flagsWithoutADecisionHaveEmptyNames() throws {
        let impression = try #require(Self.project(sendFlagDecisions: true).decide("empty", for: User("u")).impression)
        #expect(impression.campaignID == "" && impression.experimentID == "" && impression.variationID == nil)
        #expect(impression.ruleKey == "" && impression.variationKey == "" && impression.ruleType == "rollout")
        #expect(!impression.isEnabled)
    }

    /// The receiver accepts only digits.
    @Test(arguments: [("7", "71"), ("x", nil), ("7-", nil), ("-7", nil), ("\u{667}", nil)] as [(String, String?)])
    func nonNumericVariationIDsAreOmitted(rule: String, expected: String?) throws {
        let project = try SmallDatafile(
            experiments: SmallDatafile.rule(rule), flags: SmallDatafile.flag("flag", experiments: [rule])
        ).project()
        #expect(project.decide("flag", for: User("u")).impression?.variationID == expected)
    }

    @Test(arguments: ["", " ", "\t", "\u{A0}", "\u{3000}"]) func blankLayersFallBackToTheExperiment(layer: String)
        throws
    {
        let rule = SmallDatafile.rule("1").replacing(
            #""layerId": """#, with: #""layerId": \#(SmallDatafile.quoted(layer))"#)
        let project = try SmallDatafile(experiments: rule, flags: SmallDatafile.flag("flag", experiments: ["1"]))
            .project()
        #expect(project.decide("flag", for: User("u")).impression?.campaignID == "1")
    }

    @Test func activationsNameNoFlag() throws {
        let decision = try #require(Self.project().decideExperiment("rule1", for: User("u")))
        let impression = try #require(decision.activation)
        #expect(impression.flagKey == "" && impression.ruleKey == "rule1" && impression.ruleType == "experiment")
        #expect(impression.isEnabled)
    }

    @Test func impressionsHaveTheExpectedFormat() throws {
        var writer = JSONWriter()
        writer.impression(try #require(Self.project().decide("held", for: User("u")).impression))
        let expected = #"""
            {"campaign_id": "80", "experiment_id": "80", "variation_id": "801",
             "metadata": {"flag_key": "held", "rule_key": "rule80", "rule_type": "holdout", "variation_key": "80a",
                          "enabled": false}}
            """#
        #expect(try JSONValue(parsing: writer.bytes) == JSONValue(parsing: expected))
    }

    // MARK: Notifications

    @Test func listenersReceiveTheDecision() throws {
        let decision = try Self.project().decide("tested", for: User("u"), options: .includeReasons)
        let notification = try #require(decision.notification)
        #expect(notification.flagKey == "tested" && notification.isEnabled)
        #expect(notification.ruleKey == "rule1" && notification.variationKey == "1a")
        #expect(notification.experimentID == "1" && notification.variationID == "11")
        #expect(notification.isEventDispatched)
        #expect(notification.reasons == decision.reasons && !notification.reasons.isEmpty)
    }

    @Test func listenersReceiveAnEmptyDecision() throws {
        let notification = try #require(Self.project().decide("empty", for: User("u")).notification)
        #expect(!notification.isEnabled && !notification.isEventDispatched)
        #expect(notification.ruleKey == nil && notification.variationKey == nil)
        #expect(notification.experimentID == nil && notification.variationID == nil)
    }

    /// One flag for each source of decisions; the local holdout 80 applies to the rule of `held`.
    private static func project(sendFlagDecisions: Bool = false) throws -> Project {
        let tested = SmallDatafile.rule("1").replacing(#""layerId": """#, with: #""layerId": "layer""#)
        return try SmallDatafile(
            experiments: tested + "," + SmallDatafile.rule("3"),
            rollouts: SmallDatafile.rollout("R", SmallDatafile.rule("9")),
            flags: [
                SmallDatafile.flag("tested", experiments: ["1"]), SmallDatafile.flag("held", experiments: ["3"]),
                SmallDatafile.flag("rollout", rollout: "R"), SmallDatafile.flag("empty"),
            ].joined(separator: ","),
            localHoldouts: SmallDatafile.rule("80") {
                $0.variations = [("80a", false)]
                $0.guarded = #""3""#
            }, sendFlagDecisions: sendFlagDecisions
        ).project()
    }
}
