@Suite struct HoldoutTests {
    private static let nobody = #"["or"]"#

    @Test func holdoutsTakeTheirShareOfTheirAudience() throws {
        #expect(try Self.decide(global: SmallDatafile.rule("70")).stage == .holdout)
        #expect(try Self.decide(global: SmallDatafile.rule("70") { $0.ends = [0] }).stage == .bucketed)
        #expect(try Self.decide(global: SmallDatafile.rule("70") { $0.ends = [] }).stage == .bucketed)
        #expect(try Self.decide(global: SmallDatafile.rule("70") { $0.audience = Self.nobody }).stage == .bucketed)
        #expect(try Self.decide(global: SmallDatafile.rule("70") { $0.audience = #""nobody""# }).stage == .bucketed)
    }

    @Test func localHoldoutsPrecedeTheAudienceOfTheirRule() throws {
        let local = SmallDatafile.rule("80") { $0.guarded = #""1""# }
        #expect(try Self.decide(local: local) { $0.audience = Self.nobody }.stage == .holdout)
        let delivery = SmallDatafile.rule("80") { $0.guarded = #""8""# }
        #expect(try Self.decide(local: delivery) { $0.audience = Self.nobody }.ruleKey == "rule80")
    }

    private static func decide(
        global: String = "", local: String = "", _ change: (inout RuleDraft) -> Void = { _ in }
    ) throws -> Decision {
        let project = try SmallDatafile(
            experiments: SmallDatafile.rule("1", change),
            rollouts: SmallDatafile.rollout(
                "R", SmallDatafile.rule("8") { $0.audience = nobody }, SmallDatafile.rule("9")),
            flags: SmallDatafile.flag("flag", experiments: ["1"], rollout: "R"), holdouts: global, localHoldouts: local
        ).project()
        return project.decide("flag", for: User("u"))
    }
}
