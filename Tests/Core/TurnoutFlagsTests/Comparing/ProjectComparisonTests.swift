import Testing
import TurnoutEngine
import TurnoutFlags

@Suite("A comparison of projects says what an edit means")
struct ProjectComparisonTests {
    /// The differences after an edit of the example project.
    private func changes(_ edit: (inout AuthoredProject) -> Void) -> [String] {
        var edited = Self.example
        edit(&edited)
        return ProjectComparison(from: Self.example, to: edited).changes
            .map { "\($0.subject[0]): \($0.sentence)" }
    }

    @Test func equalProjectsDoNotDiffer() {
        #expect(changes { _ in } == [])
        #expect(changes { $0.flags[0].origin = Origin(1..<2) } == [])
        #expect(changes { $0.audiences[0].condition = .all([$0.audiences[0].condition]) } == [])
    }

    @Test func trafficAndSplitAreNamedWithBothValues() {
        #expect(
            changes {
                $0.flags[0].rules.experiments[0].traffic = TrafficShare(buckets: 2_550)
                $0.flags[0].rules.experiments[0].split[1].weight = 6_000
            } == [
                "flag checkout: experiment checkout_ab: traffic 10% → 25.5%",
                "flag checkout: experiment checkout_ab: split on 50 → 60",
            ])
    }

    @Test func addedOperandOfAnAudienceIsSaidAlone() {
        #expect(
            changes { project in
                project.audiences[0].condition = .all([
                    project.audiences[0].condition, .attribute(AttributeTest("country", .exact, .string("CA"))),
                ])
            } == ["audience paying: also requires country is CA"])
    }

    @Test func changeInOneEnvironmentNamesIt() {
        #expect(
            changes {
                $0.flags[0].rulesByEnvironment["development"] = $0.flags[0].rules
                $0.flags[0].rulesByEnvironment["development"]?.everyoneElse?.variation = "on"
            } == ["flag checkout: everyone else off → on (development)"])
    }

    @Test func renamedPartsAreNotRemovedAndAdded() {
        #expect(
            changes {
                $0.flags[0].key = "pay"
                $0.flags[0].formerKey = "checkout"
            } == ["flag pay: renamed from checkout"])
    }

    @Test func addedAndRemovedPartsAreNamed() {
        #expect(
            changes {
                $0.flags.append(AuthoredFlag(key: "search"))
                $0.audiences = []
                $0.flags[0].rules.experiments = []
            } == [
                "audience paying: removed", "flag search: added", "flag checkout: experiment checkout_ab: removed",
            ])
    }

    @Test func usersOfAllowListsAreCountedOnly() {
        #expect(
            changes {
                $0.flags[0].rules.experiments[0].allowList = [AllowListEntry("on", userIDs: ["ada", "bob"])]
            } == ["flag checkout: experiment checkout_ab: users in the allow list 0 → 2"])
    }

    private static let example: AuthoredProject = {
        var project = AuthoredProject(key: "shop")
        project.environments = [AuthoredEnvironment(key: "production"), AuthoredEnvironment(key: "development")]
        project.audiences = [
            AuthoredAudience(key: "paying", condition: .attribute(AttributeTest("plan", .exact, .string("premium"))))
        ]
        var flag = AuthoredFlag(key: "checkout")
        flag.variations = [AuthoredVariation(key: "on")]
        var experiment = AuthoredExperiment(key: "checkout_ab")
        experiment.traffic = TrafficShare(buckets: 1_000)
        experiment.split = [SplitShare("off", weight: 5_000), SplitShare("on", weight: 5_000)]
        flag.rules.experiments = [experiment]
        project.flags = [flag]
        return project
    }()
}
