import Testing
import TurnoutEngine

@Suite struct ForcedDecisionTests {
    @Test func flagsAndRulesAreForcedSeparately() throws {
        #expect(try Self.decide([DecisionContext(flag: "flag"): "2a"]).ruleKey == nil)
        #expect(try Self.decide([DecisionContext(flag: "flag", rule: "rule1"): "2a"]).ruleKey == "rule1")
        #expect(try Self.decide([DecisionContext(flag: "other"): "2a"]).stage == .bucketed)
        #expect(try Self.decide([DecisionContext(flag: "flag", rule: "1"): "2a"]).stage == .bucketed)
        #expect(try Self.decide([DecisionContext(flag: "flag", rule: ""): "2a"]).stage == .bucketed)
    }

    @Test(arguments: ["1a", "2a", "8a", "9a"]) func anyVariationOfTheFlagCanBeForced(variation: String) throws {
        for rule in [nil, "rule1"] {
            let decision = try Self.decide([DecisionContext(flag: "flag", rule: rule): variation])
            #expect(decision.variationKey == variation)
            #expect(decision.ruleKey == rule)
            #expect(decision.source == .featureTest)
        }
    }

    @Test(arguments: ["", "unknown", "1A", "11"]) func unknownVariationsAreReportedAndSkipped(variation: String)
        throws
    {
        let flag = try Self.decide([DecisionContext(flag: "flag"): variation])
        #expect(flag.stage == .bucketed)
        #expect(flag.reasons.first == .invalidForcedDecision(flag: "flag", rule: nil, user: "u"))
        let rule = try Self.decide([DecisionContext(flag: "flag", rule: "rule1"): variation])
        #expect(rule.stage == .bucketed)
        #expect(rule.reasons.first == .invalidForcedDecision(flag: "flag", rule: "rule1", user: "u"))
    }

    /// A rule can be forced only if the evaluation reaches it.
    @Test func rulesAfterTheMatchingOneAreNotForced() throws {
        #expect(try Self.decide([DecisionContext(flag: "flag", rule: "rule2"): "2a"]).ruleKey == "rule1")
        #expect(try Self.decide([DecisionContext(flag: "flag", rule: "rule9"): "2a"]).ruleKey == "rule1")
    }

    @Test(arguments: ["Paused", "Launched", "Not started", "Archived"]) func rulesThatAreNotRunningMayBeForced(
        status: String
    ) throws {
        let forced = [DecisionContext(flag: "flag", rule: "rule1"): "2a"]
        let decision = try Self.decide(forced) { $0.status = status }
        #expect(decision.stage == .forcedRule)
        #expect(try Self.decide([:]) { $0.status = status }.ruleKey == "rule2")
    }

    @Test func forcedRolloutRulesAreRollouts() throws {
        let forced = [DecisionContext(flag: "flag", rule: "rule8"): "9a"]
        let decision = try Self.decide(forced, hasExperiments: false)
        #expect(decision.stage == .forcedRule)
        #expect(decision.source == .rollout)
        #expect(decision.ruleKey == "rule8")
        #expect(decision.variationKey == "9a")
    }

    /// Of several variations with one key, the first is used; each id is evaluated once.
    @Test func firstVariationWithAKeyIsUsed() throws {
        let project = try SmallDatafile(
            experiments: SmallDatafile.rule("1") { $0.variations = [("same", false)] } + ","
                + SmallDatafile.rule("2") { $0.variations = [("same", true)] },
            flags: SmallDatafile.flag("flag", experiments: ["1", "2"])
        ).project()
        var user = User("u")
        user.forcedDecisions[DecisionContext(flag: "flag")] = "same"
        #expect(project.decide("flag", for: user).variation?.id == "11")
    }

    // MARK: Forced variations

    @Test func forcedVariationsSkipAudienceAndTraffic() throws {
        let decision = try Self.decide([:], variations: ["1": "11"]) {
            $0.audience = #"["or"]"#
            $0.ends = []
        }
        #expect(decision.stage == .forcedVariation)
        #expect(decision.reasons == [.forcedVariation(variation: "1a", experiment: "rule1", user: "u")])
    }

    @Test func deletedForcedVariationsAreReportedAndSkipped() throws {
        let decision = try Self.decide([:], variations: ["1": "gone"])
        #expect(decision.stage == .bucketed)
        #expect(decision.reasons.first == .invalidForcedVariation(experiment: "rule1", user: "u"))
    }

    @Test func forcedVariationsDoNotActivatePausedExperiments() throws {
        #expect(try Self.decide([:], variations: ["1": "11"]) { $0.status = "Paused" }.ruleKey == "rule2")
    }

    /// Keys of experiments need not be unique: a forced variation belongs to the experiment with its id.
    @Test(arguments: [(["1", "2"], false), (["2", "1"], false), (["1", "2"], true)])
    func forcedVariationsOfNamesakesAreSeparate(order: [String], isGrouped: Bool) throws {
        let rules = Dictionary(
            uniqueKeysWithValues: ["1", "2"].map { id in
                (
                    id,
                    SmallDatafile.rule(id) {
                        $0.key = "x"
                        $0.variations = [("first", true), ("shared", true)]
                    }
                )
            })
        let list = order.compactMap { rules[$0] }.joined(separator: ", ")
        let group = #"{"id": "G", "policy": "overlapping", "trafficAllocation": [], "experiments": [\#(list)]}"#
        let project = try SmallDatafile(
            experiments: isGrouped ? "" : list, groups: isGrouped ? group : "",
            flags: SmallDatafile.flag("f1", experiments: ["1"]) + "," + SmallDatafile.flag("f2", experiments: ["2"])
        ).project()
        var user = User("u")
        user.forcedVariations = [order[1]: order[1] + "2"]
        for (flag, id) in [("f1", "1"), ("f2", "2")] {
            let decision = project.decide(flag, for: user)
            #expect(decision.variation?.id == id + (id == order[1] ? "2" : "1"))
            #expect(decision.stage == (id == order[1] ? .forcedVariation : .bucketed))
        }
    }

    // MARK: Whitelists

    @Test func whitelistsSkipAudienceAndTraffic() throws {
        let decision = try Self.decide([:]) {
            $0.audience = #"["or"]"#
            $0.whitelist = ["u": "1a"]
        }
        #expect(decision.stage == .whitelist)
        #expect(decision.reasons == [.whitelisted(variation: "1a", user: "u")])
    }

    @Test func invalidWhitelistsAreReportedAndSkipped() throws {
        let decision = try Self.decide([:]) { $0.whitelist = ["u": "gone"] }
        #expect(decision.stage == .bucketed)
        #expect(decision.reasons.first == .invalidWhitelist(variation: "gone", user: "u"))
    }

    private static func decide(
        _ forced: ForcedDecisions, variations: [String: String] = [:], hasExperiments: Bool = true,
        _ change: (inout RuleDraft) -> Void = { _ in }
    ) throws -> Decision {
        let project = try SmallDatafile(
            experiments: SmallDatafile.rule("1", change) + "," + SmallDatafile.rule("2"),
            rollouts: SmallDatafile.rollout("R", SmallDatafile.rule("8"), SmallDatafile.rule("9")),
            flags: SmallDatafile.flag("flag", experiments: hasExperiments ? ["1", "2"] : [], rollout: "R")
        ).project()
        var user = User("u")
        user.forcedDecisions = forced
        user.forcedVariations = variations
        return project.decide("flag", for: user, options: .includeReasons)
    }
}
