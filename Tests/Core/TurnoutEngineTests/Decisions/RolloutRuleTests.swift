@Suite struct RolloutRuleTests {
    /// Users outside a rule's traffic skip all rules before the last, with their holdouts and forced decisions.
    @Test func usersOutsideTheTrafficSkipToTheLastRule() throws {
        func missesFirst(_ draft: inout RuleDraft) { if draft.id == "3" { draft.ends = [3_890] } }
        #expect(try Self.decide(change: missesFirst).ruleKey == "rule9")
        let local = SmallDatafile.rule("80") { $0.guarded = #""4""# }
        #expect(try Self.decide(local: local, change: missesFirst).ruleKey == "rule9")
        var user = User("u")
        user.forcedDecisions[DecisionContext(flag: "flag", rule: "rule4")] = "4a"
        #expect(try Self.decide(user, change: missesFirst).ruleKey == "rule9")
        #expect(try Self.decide { if $0.id == "3" { $0.ends = [3_891] } }.ruleKey == "rule3")
    }

    @Test(arguments: ["R", " R", "R\t", " \t R \t", "\u{A0}R", "R\u{200B}", "\u{3000}R\u{202F}"])
    func blanksAroundRolloutIDsAreIgnored(id: String) throws {
        #expect(try Self.decide(rollout: id) { _ in }.ruleKey == "rule3")
    }

    /// An empty list of conditions matches everyone, whatever `audienceIds` says; without conditions, `audienceIds`
    /// applies.
    @Test(arguments: [("[]", true), (#""and""#, true), ("null", false)]) func conditionsReplaceAudienceIDs(
        conditions: String, isIn: Bool
    ) throws {
        let rule = SmallDatafile.rule("9") { $0.audience = conditions }
            .replacing(#""audienceIds": []"#, with: #""audienceIds": ["nobody"]"#)
        let project = try SmallDatafile(
            rollouts: SmallDatafile.rollout("R", rule), flags: SmallDatafile.flag("flag", rollout: "R")
        ).project()
        #expect(project.decide("flag", for: User("u")).isEnabled == isIn)
    }

    private static func decide(
        _ user: User = User("u"), rollout: String = "R", local: String = "",
        change: (inout RuleDraft) -> Void
    ) throws -> Decision {
        let rules = ["3", "4", "9"].map { SmallDatafile.rule($0, change) }
        let project = try SmallDatafile(
            rollouts: SmallDatafile.rollout("R", rules[0], rules[1], rules[2]),
            flags: SmallDatafile.flag("flag", rollout: rollout), localHoldouts: local
        ).project()
        return project.decide("flag", for: user)
    }
}
