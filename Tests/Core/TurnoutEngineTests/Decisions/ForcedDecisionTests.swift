@Suite struct ForcedDecisionTests {
    @Test(arguments: ["1a", "2a", "8a", "9a"]) func anyVariationOfTheFlagCanBeForced(variation: String) throws {
        for rule in [nil, "rule1"] {
            let decision = try Self.decide([DecisionContext(flag: "flag", rule: rule): variation])
            #expect(decision.variationKey == variation)
            #expect(decision.ruleKey == rule)
            #expect(decision.source == .featureTest)
        }
    }

    /// A rule can be forced only if the evaluation reaches it.
    @Test func rulesAfterTheMatchingOneAreNotForced() throws {
        #expect(try Self.decide([DecisionContext(flag: "flag", rule: "rule2"): "2a"]).ruleKey == "rule1")
        #expect(try Self.decide([DecisionContext(flag: "flag", rule: "rule9"): "2a"]).ruleKey == "rule1")
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

    private static func decide(_ forced: ForcedDecisions, hasExperiments: Bool = true) throws -> Decision {
        let project = try SmallDatafile(
            experiments: SmallDatafile.rule("1") + "," + SmallDatafile.rule("2"),
            rollouts: SmallDatafile.rollout("R", SmallDatafile.rule("8"), SmallDatafile.rule("9")),
            flags: SmallDatafile.flag("flag", experiments: hasExperiments ? ["1", "2"] : [], rollout: "R")
        ).project()
        var user = User("u")
        user.forcedDecisions = forced
        return project.decide("flag", for: user)
    }
}
