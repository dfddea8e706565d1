import Testing
import TurnoutEngine

@Suite struct HoldoutTests {
    private static let nobody = #"["or"]"#

    @Test(arguments: ["Draft", "Concluded", "Archived"]) func onlyRunningHoldoutsApply(status: String) throws {
        let decision = try Self.decide(global: SmallDatafile.rule("70") { $0.status = status })
        #expect(decision.stage == .bucketed)
        #expect(decision.reasons.first == .holdoutNotRunning(holdout: "rule70"))
    }

    @Test func holdoutsTakeTheirShareOfTheirAudience() throws {
        #expect(try Self.decide(global: SmallDatafile.rule("70")).stage == .holdout)
        #expect(try Self.decide(global: SmallDatafile.rule("70") { $0.ends = [0] }).stage == .bucketed)
        #expect(try Self.decide(global: SmallDatafile.rule("70") { $0.ends = [] }).stage == .bucketed)
        #expect(try Self.decide(global: SmallDatafile.rule("70") { $0.audience = Self.nobody }).stage == .bucketed)
        #expect(try Self.decide(global: SmallDatafile.rule("70") { $0.audience = #""nobody""# }).stage == .bucketed)
    }

    /// Bucket 1300 of holdout 50, 1412 of holdout 60.
    @Test func firstMatchingHoldoutApplies() throws {
        let misses = SmallDatafile.rule("50") { $0.ends = [1_300] }
        let hits = SmallDatafile.rule("60") { $0.ends = [1_413] }
        #expect(try Self.decide(global: misses + "," + hits).ruleKey == "rule60")
        let both = SmallDatafile.rule("50") { $0.ends = [1_301] }
        #expect(try Self.decide(global: both + "," + hits).ruleKey == "rule50")
    }

    @Test func globalHoldoutsPrecedeLocalOnes() throws {
        let local = SmallDatafile.rule("80") { $0.guarded = #""1""# }
        #expect(try Self.decide(global: SmallDatafile.rule("70"), local: local).ruleKey == "rule70")
        #expect(try Self.decide(local: local).ruleKey == "rule80")
    }

    @Test func localHoldoutsApplyToRulesThatAreNotRunning() throws {
        let local = SmallDatafile.rule("80") { $0.guarded = #""1""# }
        let decision = try Self.decide(local: local) { $0.status = "Paused" }
        #expect(decision.stage == .holdout)
    }

    @Test func localHoldoutsPrecedeTheAudienceOfTheirRule() throws {
        let local = SmallDatafile.rule("80") { $0.guarded = #""1""# }
        #expect(try Self.decide(local: local) { $0.audience = Self.nobody }.stage == .holdout)
        let delivery = SmallDatafile.rule("80") { $0.guarded = #""8""# }
        #expect(try Self.decide(local: delivery) { $0.audience = Self.nobody }.ruleKey == "rule80")
    }

    /// Local holdouts name rules by id; keys, unknown ids and an empty list guard no rule.
    @Test(arguments: ["", #""rule1""#, #""unknown""#, #""flag""#]) func localHoldoutsApplyOnlyToTheirRules(ids: String)
        throws
    {
        let local = SmallDatafile.rule("80") { $0.guarded = ids }
        #expect(try Self.decide(local: local).stage == .bucketed)
    }

    @Test func globalHoldoutsIgnoreTheirRuleList() throws {
        #expect(try Self.decide(global: SmallDatafile.rule("70") { $0.guarded = #""unknown""# }).stage == .holdout)
    }

    @Test func heldOutUsersGetTheDefaults() throws {
        let decision = try Self.decide(global: SmallDatafile.rule("70") { $0.variations = [("off", false)] })
        #expect(decision.source == .holdout)
        #expect(decision.variationKey == "off")
        #expect(!decision.isEnabled)
        #expect(decision.variables.string("text") == "default")
        #expect(decision.assignment == nil)
    }

    @Test func enabledHoldoutsApplyTheirOverrides() throws {
        let holdout = SmallDatafile.rule("70").replacing(
            #""featureEnabled": true"#, with: #""featureEnabled": true, "variables": [{"id": "v", "value": "held"}]"#)
        #expect(try Self.decide(global: holdout).variables.string("text") == "held")
    }

    private static func decide(
        global: String = "", local: String = "", _ change: (inout RuleDraft) -> Void = { _ in }
    ) throws -> Decision {
        let project = try SmallDatafile(
            experiments: SmallDatafile.rule("1", change),
            rollouts: SmallDatafile.rollout(
                "R", SmallDatafile.rule("8") { $0.audience = nobody }, SmallDatafile.rule("9")),
            flags: SmallDatafile.flag(
                "flag", experiments: ["1"], rollout: "R",
                variables: #"{"id": "v", "key": "text", "type": "string", "defaultValue": "default"}"#),
            holdouts: global, localHoldouts: local
        ).project()
        return project.decide("flag", for: User("u"), options: .includeReasons)
    }
}
