@Suite(.ownThread) struct UnknownKeyTests {
    private let setup: TestSetup
    private var client: OptimizelyClient { setup.client }

    init() throws { setup = try TestSetup() }

    private func text(_ error: OptimizelyError) -> String? { error.errorDescription }

    @Test func unknownExperimentKeys() {
        #expect(reason { _ = try client.activate(experimentKey: "x", userId: "u") } == text(.experimentKeyInvalid("x")))
        #expect(
            reason { _ = try client.getVariationKey(experimentKey: "x", userId: "u") }
                == text(.experimentKeyInvalid("x")))
        #expect(client.getForcedVariation(experimentKey: "x", userId: "u") == nil)
        #expect(!client.setForcedVariation(experimentKey: "x", userId: "u", variationKey: nil))
    }

    @Test func usersOutsideOfAnExperimentHaveNoVariation() {
        let expected = text(.variationUnknown("u", "nobody"))
        #expect(reason { _ = try client.activate(experimentKey: "nobody", userId: "u") } == expected)
        #expect(reason { _ = try client.getVariationKey(experimentKey: "nobody", userId: "u") } == expected)
        #expect(
            reason { _ = try client.activate(experimentKey: "bandit_rule", userId: "u") }
                == text(.variationUnknown("u", "bandit_rule")), "older calls never evaluate contextual bandits")
    }

    @Test func unknownFlagKeys() {
        #expect(!client.isFeatureEnabled(featureKey: "x", userId: "u"))
        #expect(setup.logger.has(.error, text(.featureKeyInvalid("x")) ?? "-"))
        #expect(setup.profiles.journal.lines.isEmpty, "the user of an unknown flag is not looked up")
        #expect(
            reason { _ = try client.getFeatureVariableString(featureKey: "x", variableKey: "s", userId: "u") }
                == text(.featureKeyInvalid("x")))
        #expect(
            reason { _ = try client.getAllFeatureVariables(featureKey: "x", userId: "u") }
                == text(.featureKeyInvalid("x")))
    }

    @Test func unknownVariablesAndOtherTypes() {
        #expect(
            reason { _ = try client.getFeatureVariableString(featureKey: "tested", variableKey: "x", userId: "u") }
                == text(.variableKeyInvalid("x", "tested")))
        let wrong: [(String, () throws -> Void)] = [
            ("s", { _ = try client.getFeatureVariableJSON(featureKey: "tested", variableKey: "s", userId: "u") }),
            ("i", { _ = try client.getFeatureVariableString(featureKey: "tested", variableKey: "i", userId: "u") }),
            ("i", { _ = try client.getFeatureVariableDouble(featureKey: "tested", variableKey: "i", userId: "u") }),
            ("d", { _ = try client.getFeatureVariableInteger(featureKey: "tested", variableKey: "d", userId: "u") }),
            ("j", { _ = try client.getFeatureVariableBoolean(featureKey: "tested", variableKey: "j", userId: "u") }),
            (
                "bad",
                { _ = try client.getFeatureVariableInteger(featureKey: "broken", variableKey: "bad", userId: "u") }
            ),
        ]
        for (key, call) in wrong { #expect(reason(call) == text(.variableValueInvalid(key))) }
    }

    @Test func aBadValueIsLeftOutOfAllVariablesAndLogged() throws {
        let all = try client.getAllFeatureVariables(featureKey: "broken", userId: "u")
        #expect(all.toMap() as? [String: String] == ["ok": "x"])
        #expect(setup.logger.has(.error, text(.variableValueInvalid("bad")) ?? "-"))
        #expect(
            reason { _ = try client.getAllFeatureVariables(featureKey: "endless", userId: "u") }
                == text(.invalidJSONVariable))
    }

    @Test func unknownEventKeys() {
        #expect(reason { try client.track(eventKey: "x", userId: "u") } == text(.eventKeyInvalid("x")))
        #expect(reason { try setup.user().trackEvent(eventKey: "x") } == text(.eventKeyInvalid("x")))
    }

    @Test func aDecisionNamesTheUnknownFlag() async {
        let user = setup.user()
        let decision = user.decide(key: "x")
        #expect(decision.reasons == [text(.featureKeyInvalid("x"))] && decision.flagKey == "x")
        #expect(decision.variationKey == nil && !decision.enabled && decision.ruleKey == nil)
        let all = user.decide(keys: ["x", "rolled", "empty"], options: [.enabledFlagsOnly])
        #expect(Set(all.keys) == ["x", "rolled"] && all["x"] == decision)
        #expect(await user.decideAsync(keys: ["x", "empty"], options: [.enabledFlagsOnly]) == ["x": decision])
        #expect(user.decide(keys: []).isEmpty)
    }

    @Test func forcedVariationsAreCheckedWhenTheyAreSet() throws {
        #expect(!client.setForcedVariation(experimentKey: "sticky", userId: "u", variationKey: "third"))
        #expect(!client.setForcedVariation(experimentKey: "sticky", userId: "u", variationKey: "  "))
        #expect(client.setForcedVariation(experimentKey: "sticky", userId: "u", variationKey: " second\u{A0}\u{200B}"))
        #expect(client.getForcedVariation(experimentKey: "sticky", userId: "u") == "second")
        #expect(try client.getVariationKey(experimentKey: "sticky", userId: "u") == "second")
        #expect(client.setForcedVariation(experimentKey: "sticky", userId: "u", variationKey: nil))
        #expect(client.setForcedVariation(experimentKey: "sticky", userId: "u", variationKey: nil))
        #expect(try client.getVariationKey(experimentKey: "sticky", userId: "u") == "first")
    }

    @Test func anEmptyUserIdIsAUserId() throws {
        #expect(try client.activate(experimentKey: "ab", userId: "") == "on")
        #expect(setup.user("").decide(key: "rolled").enabled)
    }
}
