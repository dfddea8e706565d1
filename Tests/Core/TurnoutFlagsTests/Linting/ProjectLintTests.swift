import TestSupport
import Testing
import TurnoutEngine
import TurnoutFlags

private func test(_ name: String, _ match: AttributeTest.Match, _ value: String) -> AuthoredCondition {
    .attribute(AttributeTest(name, match, .string(value)))
}

private func test(_ name: String, _ match: AttributeTest.Match, _ value: Int64) -> AuthoredCondition {
    .attribute(AttributeTest(name, match, .integer(value)))
}

private func exists(_ name: String) -> AuthoredCondition { .attribute(AttributeTest(name, .exists, nil)) }

@Suite("Lint finds what compiles but is probably a mistake")
struct ProjectLintTests {
    private func codes(_ edit: (inout AuthoredProject) -> Void, lock: LockFile? = nil) -> [String] {
        var project = Self.clean
        edit(&project)
        return ProjectLint(project, lock: lock).findings.map(\.code)
    }

    @Test func cleanProjectHasNoFindings() {
        #expect(codes { _ in } == [])
    }

    @Test func ruleAfterOneThatTakesEveryUserIsUnreachable() {
        #expect(
            codes { $0.flags[0].rules.experiments[0].audience = nil } == ["rule-unreachable", "unused-audience"])
        #expect(
            codes {
                $0.flags[0].rules.experiments[0].audience = nil
                $0.flags[0].rules.experiments[0].status = .paused
                $0.audiences = []
            } == ["unused-attribute", "unused-attribute"])
    }

    /// Users outside the traffic of a rollout get what everyone else gets, through the rollout.
    @Test func rolloutWithoutAudienceBlocksLaterRulesWhateverItsTraffic() {
        #expect(
            codes {
                $0.flags[0].rules.experiments[0].audience = nil
                $0.flags[0].rules.experiments[0].kind = .rollout
                $0.flags[0].rules.experiments[0].split = [SplitShare("on", weight: 100)]
                $0.flags[0].rules.experiments[0].traffic = TrafficShare(buckets: 100)
                $0.flags[0].rules.everyoneElse = EveryoneElse()
                $0.audiences = []
            }.contains("rule-unreachable"))
    }

    /// Users outside the traffic of a delivery skip all deliveries up to everyone else.
    @Test func deliveryWithoutAudienceBlocksLaterOnesWhateverItsTraffic() {
        #expect(
            codes {
                var first = AuthoredDelivery(key: "first", variation: "on")
                first.traffic = TrafficShare(buckets: 100)
                $0.flags[0].rules.deliveries.insert(first, at: 0)
            } == ["rule-unreachable"])
    }

    @Test(arguments: [
        AuthoredCondition.all([test("plan", .exact, "a"), test("plan", .exact, "b")]),
        .all([test("age", .greater, 5), test("age", .less, 5)]),
        .all([test("age", .exact, 3), test("age", .greaterOrEqual, 4)]),
        .all([.audience("x", Origin()), .not(.audience("x", Origin()))]),
        .any([]), .all([]),
        .not(.any([.attribute(AttributeTest("a", .exists, nil)), .not(.attribute(AttributeTest("a", .exists, nil)))])),
    ])
    func contradictionsAreNeverMet(condition: AuthoredCondition) {
        #expect(codes { $0.audiences[0].condition = condition }.contains("audience-never-met"))
    }

    /// A user without the attribute does not meet a condition, and does not meet its opposite.
    @Test(arguments: [
        AuthoredCondition.not(.all([test("plan", .exact, "a"), test("plan", .exact, "b")])),
        .not(.all([test("age", .greater, 5), test("age", .less, 5)])),
        .any([test("plan", .exact, "a"), .not(test("plan", .exact, "a"))]),
        .not(.all([test("plan", .exact, "a"), .not(exists("a"))])),
    ])
    func conditionsThatCanBeUnknownAreNotAlwaysMet(condition: AuthoredCondition) {
        let codes = codes { $0.audiences[0].condition = condition }
        #expect(!codes.contains("audience-always-met") && !codes.contains("audience-never-met"))
    }

    @Test(arguments: [
        AuthoredCondition.any([exists("a"), .not(exists("a"))]), .not(.all([exists("a"), .not(exists("a"))])),
        .not(.all([.not(.any([exists("a"), .not(exists("a"))])), test("plan", .exact, "a")])),
    ])
    func conditionsThatAreKnownForEveryUserAreAlwaysMet(condition: AuthoredCondition) {
        #expect(codes { $0.audiences[0].condition = condition }.contains("audience-always-met"))
    }

    @Test(arguments: [AuthoredCondition.not(.all([])), .not(.any([]))])
    func theOppositeOfAnEmptyConditionIsUnknown(condition: AuthoredCondition) {
        let codes = codes { $0.audiences[0].condition = condition }
        #expect(codes.contains("audience-never-met") && !codes.contains("audience-always-met"))
    }

    @Test(arguments: [
        AuthoredCondition.all([test("age", .greaterOrEqual, 5), test("age", .lessOrEqual, 5)]),
        .all([test("plan", .exact, "a"), test("country", .exact, "b")]),
        .any([test("plan", .exact, "a"), test("plan", .exact, "b")]),
        .all([test("age", .greater, 4), test("age", .exact, 5), test("age", .less, 6)]),
    ])
    func possibleConditionsAreNotReported(condition: AuthoredCondition) {
        #expect(!codes { $0.audiences[0].condition = condition }.contains("audience-never-met"))
    }

    @Test func longListsOfConditionsTakeLinearTime() throws {
        try expectLinearTime("lint", sizes: (10_001, 40_004)) { count in
            var project = Self.clean
            project.audiences[0].condition = .all((0..<count).map { test("plan", .substring, "\($0)") })
            let lint = ProjectLint(project)
            return { lint.findings.count }
        }
    }

    @Test func attributeComparedAsNumberAndVersionIsReported() {
        #expect(
            codes { $0.audiences[0].condition = .any([test("plan", .greater, 5), test("plan", .versionLess, "5.2")]) }
                .contains("attribute-mixed-types"))
    }

    @Test func mixedTypesCanBeIgnored() {
        let mixed = AuthoredCondition.any([test("plan", .greater, 5), test("plan", .versionLess, "5.2")])
        #expect(
            codes {
                $0.audiences[0].condition = mixed
                $0.audiences[0].ignoredFindings = ["attribute-mixed-types"]
            } == ["unused-attribute"])
        #expect(
            codes {
                $0.flags[0].rules.experiments[0].audience = mixed
                $0.flags[0].rules.experiments[0].ignoredFindings = ["attribute-mixed-types"]
            } == ["unused-audience"])
    }

    @Test func unusedPartsAreReported() {
        #expect(
            codes {
                $0.attributes.append(AuthoredAttribute(key: "city"))
                $0.events.append(AuthoredEvent(key: "signup"))
                $0.flags[0].variables.append(AuthoredVariable(key: "size", type: .integer, defaultValue: "3"))
                $0.flags[0].variations.append(AuthoredVariation(key: "third"))
            } == ["unused-attribute", "unused-event", "unused-variation", "variable-never-overridden"])
    }

    @Test func experimentsThatShowNothingAreReported() {
        #expect(codes { $0.flags[0].rules.experiments[0].metrics = [] }.contains("experiment-without-metric"))
        #expect(
            codes { $0.flags[0].rules.experiments[0].split = [SplitShare("on", weight: 100)] }
                == ["experiment-one-variation"])
        #expect(
            codes {
                $0.flags[0].variations.append(
                    AuthoredVariation(key: "same", overrides: [AuthoredOverride("title", "B")]))
                $0.flags[0].rules.experiments[0].split.append(SplitShare("same", weight: 1))
            } == ["variations-equal"])
    }

    @Test func usersOfAllowListsInAHoldoutAreCounted() {
        var lock = LockFile()
        lock.ids[EntityPath(.holdout, "production", "q4")] = "1"
        let edit = { (project: inout AuthoredProject) in
            project.holdouts = [AuthoredHoldout(key: "q4", traffic: TrafficShare(buckets: 100))]
            // The buckets of these users for the id 1 are 0 and 9,999 (decision specification, 2.2).
            project.flags[0].rules.experiments[0].allowList = [AllowListEntry("on", userIDs: ["u30081", "u4383"])]
        }
        #expect(codes(edit, lock: lock) == ["allow-list-held-out"])
        #expect(codes(edit) == [])
        // Buckets that the holdout gave up are a hole.
        lock.allocations[EntityPath(.holdout, "production", "q4")] = TrafficAllocation([
            .init("", end: 100), .init("off", end: 200),
        ])
        #expect(codes(edit, lock: lock) == [])
    }

    @Test func ignoredFindingsAreLeftOut() {
        #expect(
            codes {
                $0.flags[0].rules.experiments[0].metrics = []
                $0.flags[0].rules.experiments[0].ignoredFindings = ["experiment-without-metric"]
                $0.ignoredFindings = ["unused-event"]
            } == [])
    }

    @Test func flagWithoutRulesIsAlwaysOff() {
        #expect(codes { $0.flags.append(AuthoredFlag(key: "later")) } == ["flag-always-off"])
    }

    private static let clean: AuthoredProject = {
        var project = AuthoredProject(key: "shop")
        project.environments = [AuthoredEnvironment(key: "production")]
        project.attributes = [AuthoredAttribute(key: "plan"), AuthoredAttribute(key: "age")]
        project.events = [AuthoredEvent(key: "purchase")]
        project.audiences = [
            AuthoredAudience(
                key: "paying", condition: .all([test("plan", .exact, "premium"), test("age", .greater, 17)]))
        ]
        var flag = AuthoredFlag(key: "checkout")
        flag.variables = [AuthoredVariable(key: "title", type: .string, defaultValue: "A")]
        flag.variations = [AuthoredVariation(key: "on", overrides: [AuthoredOverride("title", "B")])]
        var experiment = AuthoredExperiment(key: "checkout_ab")
        experiment.audience = .audience("paying", Origin())
        experiment.split = [SplitShare("off", weight: 1), SplitShare("on", weight: 1)]
        experiment.metrics = [Metric(event: "purchase", aggregation: .unique)]
        flag.rules.experiments = [experiment]
        flag.rules.deliveries = [AuthoredDelivery(key: "all", variation: "on")]
        project.flags = [flag]
        return project
    }()
}
