/// The precedence of decision stages. Each test starts with a project in which every stage has a result.
@Suite struct PrecedenceTests {
    /// Every stage that can settle a decision, in order of precedence.
    private static let stages: [(stage: DecisionStage, rule: String?, variation: String?)] = [
        (.forcedDecision, nil, "by flag"), (.holdout, "rule70", "held out globally"), (.forcedRule, "rule1", "by rule"),
        (.holdout, "rule80", "held out locally"), (.forcedVariation, "rule1", "by variation"),
        (.whitelist, "rule1", "by list"), (.storedAssignment, "rule1", "by profile"), (.bucketed, "rule1", "by bucket"),
        (.rollout, "rule9", "9a"), (.noRule, nil, nil),
    ]

    @Test(arguments: stages.indices) func eachStagePrecedesTheFollowingOnes(first: Int) throws {
        let decision = try Self.decide(from: first)
        let expected = Self.stages[first]
        #expect(decision.stage == expected.stage)
        #expect(decision.ruleKey == expected.rule)
        #expect(decision.variationKey == expected.variation)
        #expect(decision.assignment?.variationID == (expected.stage == .bucketed ? "16" : nil))
    }

    @Test(arguments: stages.indices) func legacyCallsIgnoreForcedDecisions(first: Int) throws {
        let decision = try Self.decide(from: first) { project, user, profile in
            project.decideFeature("flag", for: user, profile: profile)
        }
        let expected = Self.stages[first...].first { $0.stage != .forcedDecision && $0.stage != .forcedRule }
        #expect(decision.stage == expected?.stage)
        #expect(decision.variationKey == expected?.variation)
    }

    @Test(arguments: stages.indices) func singleExperimentsIgnoreHoldouts(first: Int) throws {
        let decision = try Self.decide(from: first) { project, user, profile in
            try #require(project.decideExperiment("rule1", for: user, profile: profile))
        }
        let known: [DecisionStage] = [.forcedVariation, .whitelist, .storedAssignment, .bucketed]
        let expected = Self.stages[first...].first { known.contains($0.stage) }
        #expect(decision.stage == expected?.stage ?? .noRule)
        #expect(decision.variationKey == expected?.variation)
    }

    /// Stages from `first` on have a result; those before have none.
    private static func decide(
        from first: Int,
        _ decide: (Project, User, UserProfile) throws -> Decision = { $0.decide("flag", for: $1, profile: $2) }
    ) throws -> Decision {
        func has(_ stage: Int) -> Bool { first <= stage }
        let experiment = SmallDatafile.rule("1") {
            $0.variations = ["flag", "rule", "variation", "list", "profile", "bucket"].map { ("by \($0)", true) }
            $0.owners = [6]
            $0.ends = [has(7) ? 10_000 : 0]
            if has(5) { $0.whitelist = ["u": "by list"] }
        }
        let delivery = SmallDatafile.rule("9") { $0.ends = [has(8) ? 10_000 : 0] }
        let project = try SmallDatafile(
            experiments: experiment, rollouts: SmallDatafile.rollout("R", delivery),
            flags: SmallDatafile.flag("flag", experiments: ["1"], rollout: "R"),
            holdouts: SmallDatafile.rule("70") {
                $0.variations = [("held out globally", false)]
                $0.status = has(1) ? "Running" : "Draft"
            },
            localHoldouts: SmallDatafile.rule("80") {
                $0.variations = [("held out locally", false)]
                $0.guarded = #""1""#
                $0.status = has(3) ? "Running" : "Concluded"
            }
        ).project()
        var user = User("u")
        if has(0) { user.forcedDecisions[DecisionContext(flag: "flag")] = "by flag" }
        if has(2) { user.forcedDecisions[DecisionContext(flag: "flag", rule: "rule1")] = "by rule" }
        if has(4) { user.forcedVariations["1"] = "13" }
        return try decide(project, user, UserProfile(has(6) ? ["1": "15"] : [:]))
    }

    // MARK: Feature rollout
    // A feature rollout gives the ramped variation to some users and the everyone-else variation to others, in one
    // rule.

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
