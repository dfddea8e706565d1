/// A feature rollout gives the ramped variation to some users and the everyone-else variation to others, in one rule.
@Suite struct FeatureRolloutTests {
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

    private static func project(ramp: Int) throws -> Project {
        let experiment = SmallDatafile.rule("1") {
            $0.variations = [("on", true)]
            $0.ends = [ramp]
            $0.more = #""type": "fr","#
        }
        let everyoneElse = SmallDatafile.rule("9") { $0.variations = [("else", false)] }
        return try SmallDatafile(
            experiments: experiment, rollouts: SmallDatafile.rollout("R", everyoneElse),
            flags: SmallDatafile.flag("flag", experiments: ["1"], rollout: "R")
        ).project()
    }
}
