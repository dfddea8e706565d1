@Suite(.ownThread) struct DecisionTests {
    private let setup: TestSetup

    init() throws { setup = try TestSetup() }

    @Test func descriptionWithoutReasons() {
        let decision = setup.user("ada", ["plan": "gold"]).decide(key: "rolled")
        #expect(
            decision.description == """
                {
                  variationKey: "served"
                  enabled: true
                  variables: [:]
                  ruleKey: "delivery"
                  flagKey: "rolled"
                  userContext: { userId: ada, attributes: ["plan": Optional("gold")] }
                  reasons: [  ]
                }
                """)
    }

    @Test func descriptionWithReasons() {
        let decision = setup.user().decide(key: "x")
        #expect(
            decision.description == """
                {
                  variationKey: nil
                  enabled: false
                  variables: [:]
                  ruleKey: nil
                  flagKey: "x"
                  userContext: { userId: ada, attributes: [:] }
                  reasons: [
                    - \(OptimizelyError.featureKeyInvalid("x").errorDescription ?? "")
                  ]
                }
                """)
    }

    @Test func everyFieldCountsForEquality() {
        let decision = setup.user().decide(key: "tested")
        #expect(decision == setup.user().decide(key: "tested"))
        #expect(decision != setup.user("bob").decide(key: "tested"), "user")
        #expect(decision != setup.user("ada", ["a": 1]).decide(key: "tested"), "attributes")
        #expect(decision != setup.user().decide(key: "tested", options: [.excludeVariables]), "variables")
        #expect(decision != setup.user().decide(key: "tested", options: [.includeReasons]), "reasons")
        #expect(decision != setup.user().decide(key: "rolled"), "flag")
        #expect(decision == setup.user().decide(key: "tested", options: [.disableDecisionEvent]))
    }

    @Test func theUserOfADecisionIsAnEqualCopy() {
        let user = setup.user("ada", ["plan": "gold"])
        let flag = OptimizelyDecisionContext(flagKey: "tested")
        user.qualifiedSegments = ["a"]
        _ = user.setForcedDecision(context: flag, decision: OptimizelyForcedDecision(variationKey: "yes"))
        let copy = user.decide(key: "tested").userContext
        #expect(copy == user && copy !== user)
        user.setAttribute(key: "plan", value: "lead")
        user.userId = "bob"
        user.qualifiedSegments = nil
        _ = user.removeAllForcedDecisions()
        #expect(copy.attributes["plan"] as? String == "gold" && copy.userId == "ada")
        #expect(copy.qualifiedSegments == ["a"] && copy.getForcedDecision(context: flag)?.variationKey == "yes")
        #expect(copy != user)
        copy.setAttribute(key: "new", value: 1)
        #expect(user.attributes["new"] == nil)
        #expect(copy.decide(key: "rolled").variationKey == "served")
    }

    @Test func anAsynchronousDecisionUsesTheContextAtTheCall() async {
        let user = setup.user()
        let decision = await withCheckedContinuation { done in
            user.decideAsync(key: "tested") { done.resume(returning: $0) }
            user.userId = "bob"
        }
        #expect(decision.userContext.userId == "ada" && user.userId == "bob")
    }

    @Test func asynchronousDecisionsAreTheSame() async {
        let user = setup.user()
        #expect(await user.decideAsync(key: "tested") == user.decide(key: "tested"))
        #expect(await user.decideAsync(keys: ["tested", "held"]) == user.decide(keys: ["tested", "held"]))
        #expect(await user.decideAllAsync(options: [.enabledFlagsOnly]) == user.decideAll(options: [.enabledFlagsOnly]))
    }

    @Test func optionsOfTheClientAndTheCallAreCombined() throws {
        let user = try TestSetup(options: [.includeReasons]).user()
        let setup = try TestSetup(options: [.includeReasons, .enabledFlagsOnly])
        let both = setup.user().decide(key: "tested", options: [.excludeVariables])
        #expect(both.variables.isEmpty && !both.reasons.isEmpty)
        #expect(!setup.user().decide(key: "empty").enabled, "a single decision is always returned")
        #expect(Set(setup.user().decideAll().keys) == ["tested", "rolled"])
        #expect(user.decide(key: "tested").variables.isEmpty, "its client is released")
    }

    @Test func aRuleMayBeForced() {
        let user = setup.user()
        let rule = OptimizelyDecisionContext(flagKey: "tested", ruleKey: "tested_rule")
        _ = user.setForcedDecision(context: rule, decision: OptimizelyForcedDecision(variationKey: "no"))
        #expect(user.decide(key: "tested").variationKey == "no" && user.decide(key: "tested").ruleKey == "tested_rule")
        let flag = OptimizelyDecisionContext(flagKey: "tested")
        _ = user.setForcedDecision(context: flag, decision: OptimizelyForcedDecision(variationKey: "yes"))
        #expect(user.decide(key: "tested").variationKey == "yes" && user.decide(key: "tested").ruleKey == nil)
        _ = user.setForcedDecision(context: flag, decision: OptimizelyForcedDecision(variationKey: "unknown"))
        let decision = user.decide(key: "tested", options: [.includeReasons])
        #expect(decision.variationKey == "no" && !decision.reasons.isEmpty)
    }
}
