import Testing
import TurnoutEngine

/// A feature rollout gives the ramped variation to some users and the everyone-else variation to others, in one rule.
@Suite struct FeatureRolloutTests {
    @Test func usersOutsideTheRampGetTheVariationForEveryoneElse() throws {
        let inside = try Self.project(ramp: 5_000).decide("flag", for: User("u"))
        #expect(inside.rule?.id == "1")
        #expect(inside.variationKey == "on")
        let outside = try Self.project(ramp: 4_000).decide("flag", for: User("u"))
        #expect(outside.rule?.id == "1")
        #expect(outside.variationKey == "else")
        #expect(outside.source == .featureTest)
        #expect(outside.stage == .bucketed)
        #expect(outside.assignment?.experimentID == "1")
        #expect(outside.assignment?.variationID == "91")
    }

    /// A user assigned before the ramp grew keeps that assignment.
    @Test func usersOutsideTheRampStayOutsideWhenItGrows() throws {
        let early = try Self.project(ramp: 0).decide("flag", for: User("u"))
        let assignment = try #require(early.assignment)
        let profile = UserProfile([assignment.experimentID: assignment.variationID])
        let grown = try Self.project(ramp: 10_000)
        let sticky = grown.decide("flag", for: User("u"), profile: profile)
        #expect(sticky.stage == .storedAssignment)
        #expect(sticky.variationKey == "else")
        #expect(sticky.rule?.id == "1")
    }

    @Test func usersOutsideTheRampEnterOnlyWithoutTheirProfile() throws {
        let grown = try Self.project(ramp: 10_000)
        let profile = UserProfile(["1": "91"])
        #expect(grown.decide("flag", for: User("u")).variationKey == "on")
        let ignoring = grown.decide("flag", for: User("u"), profile: profile, options: .ignoreUserProfileService)
        #expect(ignoring.variationKey == "on")
        #expect(ignoring.assignment == nil)
    }

    @Test func usersOutsideTheAudienceReachTheRollout() throws {
        let decision = try Self.project(ramp: 10_000, audience: #"["or"]"#).decide("flag", for: User("u"))
        #expect(decision.stage == .rollout)
        #expect(decision.rule?.id == "9")
        #expect(decision.variationKey == "else")
    }

    @Test func addedVariationCanBeForcedAndListed() throws {
        let project = try Self.project(ramp: 10_000, whitelist: ["listed": "else"])
        #expect(project.decide("flag", for: User("listed")).variationKey == "else")
        var user = User("u")
        user.forcedVariations["1"] = "91"
        #expect(project.decide("flag", for: user).stage == .forcedVariation)
        user = User("u")
        user.forcedDecisions[DecisionContext(flag: "flag", rule: "rule1")] = "else"
        #expect(project.decide("flag", for: user).variationKey == "else")
    }

    @Test(arguments: ["ab", "feature_rollout", "FR"]) func otherTypesAddNothing(type: String) throws {
        let project = try Self.project(ramp: 4_000, type: type)
        #expect(project.experiment("rule1")?.variations.count == 1)
        #expect(project.decide("flag", for: User("u")).stage == .rollout)
    }

    @Test func withoutARolloutNoVariationIsAdded() throws {
        let rule = SmallDatafile.rule("1") { $0.more = #""type": "fr","# }
        let project = try SmallDatafile(experiments: rule, flags: SmallDatafile.flag("flag", experiments: ["1"]))
            .project()
        #expect(project.experiment("rule1")?.variations.count == 1)
    }

    private static func project(
        ramp: Int, audience: String? = nil, type: String = "fr", whitelist: [String: String] = [:]
    ) throws -> Project {
        let experiment = SmallDatafile.rule("1") {
            $0.variations = [("on", true)]
            $0.ends = [ramp]
            $0.audience = audience
            $0.whitelist = whitelist
            $0.more = #""type": "\#(type)","#
        }
        let everyoneElse = SmallDatafile.rule("9") { $0.variations = [("else", false)] }
        return try SmallDatafile(
            experiments: experiment, rollouts: SmallDatafile.rollout("R", everyoneElse),
            flags: SmallDatafile.flag("flag", experiments: ["1"], rollout: "R")
        ).project()
    }
}
