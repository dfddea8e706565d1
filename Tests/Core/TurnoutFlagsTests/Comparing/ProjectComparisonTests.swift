@Suite("A comparison of projects says what an edit means")
struct ProjectComparisonTests {
    /// The differences after an edit of the example project.
    private func changes(_ edit: (inout AuthoredProject) -> Void) -> [String] {
        var edited = Self.example
        edit(&edited)
        return ProjectComparison(from: Self.example, to: edited).changes.map { "\($0.subject[0]): \($0.sentence)" }
    }

    @Test func equalProjectsDoNotDiffer() {
        #expect(changes { _ in } == [])
        #expect(changes { $0.flags[0].origin = SourceOrigin(1..<2) } == [])
        #expect(changes { $0.audiences[0].condition = .all([$0.audiences[0].condition]) } == [])
    }

    @Test func trafficAndSplitAreNamedWithBothValues() {
        #expect(
            changes {
                $0.flags[0].rules.experiments[0].traffic = TrafficShare(buckets: 2_550)
                $0.flags[0].rules.experiments[0].split[1].weight = 6_000
            } == [
                "flag checkout: experiment checkout_ab: traffic 10% → 25.5%",
                "flag checkout: experiment checkout_ab: split off 50% → 45.45%, on 50% → 54.55%",
            ])
    }

    @Test func rulesAreNamedByTheirKind() {
        var old = Self.example
        old.flags[0].rules.experiments[0].kind = .rollout
        var new = old
        new.flags[0].rules.experiments[0].traffic = TrafficShare(buckets: 2_550)
        let changed = ProjectComparison(from: old, to: new).changes
        #expect(changed.map(\.sentence) == ["rollout checkout_ab: traffic 10% → 25.5%"])
        new.flags[0].rules.experiments = []
        let removed = ProjectComparison(from: new, to: old).changes
        #expect(removed.contains { $0.sentence.hasPrefix("rollout checkout_ab added") })
    }

    /// Equal weights are written as 1 each.
    @Test func splitsAreComparedInPerCent() {
        var old = Self.example
        old.flags[0].rules.experiments[0].split = [SplitShare("off", weight: 100), SplitShare("on", weight: 100)]
        var new = old
        new.flags[0].rules.experiments[0].split = [SplitShare("off", weight: 6_000), SplitShare("on", weight: 4_000)]
        #expect(
            ProjectComparison(from: old, to: new).changes.map(\.sentence)
                == ["experiment checkout_ab: split off 50% → 60%, on 50% → 40%"])
    }

    @Test func anAudienceThatIsRemovedIsNamedOnce() {
        var old = Self.example
        old.flags[0].rules.experiments[0].audience = .audience("paying", SourceOrigin())
        var new = old
        new.flags[0].rules.experiments[0].audience = nil
        #expect(
            ProjectComparison(from: old, to: new).changes.map(\.sentence)
                == ["experiment checkout_ab: audience paying → everyone"])
    }

    @Test func weightsOfTheSameProportionsAreNoChange() {
        #expect(
            changes { project in
                for index in project.flags[0].rules.experiments[0].split.indices {
                    project.flags[0].rules.experiments[0].split[index].weight *= 3
                }
            } == [])
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
            } == ["flag pay: flag checkout is now named pay"])
    }

    @Test func addedAndRemovedPartsAreNamed() {
        #expect(
            changes {
                $0.flags.append(AuthoredFlag(key: "search"))
                $0.audiences = []
                $0.flags[0].rules.experiments = []
            } == [
                "audience paying: removed", "flag search: added: variations off",
                "flag checkout: experiment checkout_ab removed",
            ])
    }

    /// The names of a renamed part are all over the project.
    @Test func aRenamedPartIsADifferenceOnlyOnce() {
        var old = Self.example
        old.attributes = [AuthoredAttribute(key: "plan")]
        old.events = [AuthoredEvent(key: "purchase")]
        let metric = ExperimentMetric(event: "purchase", aggregation: .revenue)
        old.metrics = [AuthoredMetric(key: "revenue", metric)]
        old.flags[0].variables = [AuthoredVariable(key: "title", type: .string, defaultValue: "Pay")]
        old.flags[0].variations[0].overrides = [AuthoredOverride("title", "Buy")]
        old.flags[0].rules.everyoneElse?.variation = "on"
        old.flags[0].rules.experiments[0].audience = .not(.audience("paying", SourceOrigin()))
        old.flags[0].rules.experiments[0].metrics = [
            ExperimentMetric(event: "purchase", aggregation: .unique), old.metrics[0].metric,
        ]
        old.flags[0].rules.experiments[0].allowList = [AllowListEntry("on", userIDs: ["ada"])]
        let rule = RuleReference(flag: "checkout", rule: "checkout_ab")
        old.groups = [AuthoredGroup(key: "pages", members: [GroupMember(rule, traffic: .all)])]
        old.holdouts = [AuthoredHoldout(key: "quiet", traffic: .all)]
        old.holdouts[0].rules = [rule]
        var new = old
        new.attributes[0] = AuthoredAttribute(key: "tariff", formerKey: "plan")
        new.events[0] = AuthoredEvent(key: "order", formerKey: "purchase")
        new.metrics[0] = AuthoredMetric(key: "sales", ExperimentMetric(event: "order", aggregation: .revenue))
        new.metrics[0].formerKey = "revenue"
        new.audiences[0] = AuthoredAudience(
            key: "members", formerKey: "paying",
            condition: .attribute(AttributeTest("tariff", .exact, .string("premium"))))
        (new.flags[0].key, new.flags[0].formerKey) = ("pay", "checkout")
        (new.flags[0].variables[0].key, new.flags[0].variables[0].formerKey) = ("label", "title")
        new.flags[0].variations[0] = AuthoredVariation(
            key: "buy", formerKey: "on", overrides: [AuthoredOverride("label", "Buy")])
        new.flags[0].rules.everyoneElse?.variation = "buy"
        var experiment = new.flags[0].rules.experiments[0]
        (experiment.key, experiment.formerKey) = ("pay_ab", "checkout_ab")
        experiment.audience = .not(.audience("members", SourceOrigin()))
        experiment.metrics[0].event = "order"
        experiment.metrics[1] = new.metrics[0].metric
        experiment.allowList[0].variation = "buy"
        experiment.split[1].variation = "buy"
        new.flags[0].rules.experiments = [experiment]
        new.groups[0].members[0].experiment = RuleReference(flag: "pay", rule: "pay_ab")
        new.holdouts[0].rules = [RuleReference(flag: "pay", rule: "pay_ab")]
        #expect(
            ProjectComparison(from: old, to: new).changes.map(\.sentence) == [
                "attribute plan is now named tariff", "event purchase is now named order",
                "metric revenue is now named sales", "audience paying is now named members",
                "flag checkout is now named pay", "variable title is now named label", "variation on is now named buy",
                "experiment checkout_ab is now named pay_ab",
            ])
    }

    @Test func metricsAndPlansSayWhatTheyMeasureAndHowLong() {
        var metric = ExperimentMetric(event: "purchase", aggregation: .revenue)
        var old = Self.example
        old.metrics = [AuthoredMetric(key: "revenue", metric)]
        old.flags[0].rules.experiments[0].metrics = [old.metrics[0].metric]
        var new = old
        (metric.windowDays, metric.winsorising, metric.direction) = (7, 9_990, .decrease)
        new.metrics = [
            AuthoredMetric(key: "revenue", metric),
            AuthoredMetric(key: "orders", ExperimentMetric(event: "purchase", aggregation: .unique)),
        ]
        new.flags[0].rules.experiments[0].metrics = [new.metrics[1].metric, new.metrics[0].metric]
        new.flags[0].rules.experiments[0].plan = ExperimentPlan(visitors: 40_000, perDay: 300)
        #expect(
            ProjectComparison(from: old, to: new).changes.map { "\($0.subject[0]): \($0.sentence)" } == [
                "metric orders: added: purchase.unique",
                "metric revenue: measures purchase.revenue → "
                    + "purchase.revenue (less is better) within 7 days, winsorised at 99.9%",
                "flag checkout: experiment checkout_ab: metrics revenue → orders, revenue",
                "flag checkout: experiment checkout_ab: plan none → 40,000 visitors, 300 a day",
            ])
    }

    @Test func newRulesSayWhatTheyServeToWhomAndHowMuch() {
        #expect(
            changes { project in
                var test = AuthoredExperiment(key: "title_test")
                test.traffic = TrafficShare(buckets: 2_500)
                test.split = [SplitShare("off", weight: 5_000), SplitShare("on", weight: 10_000)]
                test.audience = .all([.audience("paying", SourceOrigin())])
                test.metrics = [ExperimentMetric(event: "purchase", aggregation: .unique)]
                test.allowList = [AllowListEntry("on", userIDs: ["ada"])]
                var delivery = AuthoredDelivery(key: "rest", variation: "on")
                delivery.audience = .attribute(AttributeTest("country", .exact, .string("CA")))
                delivery.traffic = TrafficShare(buckets: 1_000)
                project.flags[0].rules.experiments.append(test)
                project.flags[0].rulesByEnvironment["development"] = project.flags[0].rules
                project.flags[0].rulesByEnvironment["development"]?.deliveries = [delivery]
                project.holdouts = [AuthoredHoldout(key: "quiet", traffic: TrafficShare(buckets: 500))]
            } == [
                "flag checkout: experiment title_test added: 25% of the users in audience paying take part: "
                    + "of them off 33.33%, on 66.66%; 1 user in the allow list; measured by purchase.unique",
                "flag checkout: delivery rest added (development): 10% of the users with country is CA get on",
                "holdout quiet: added: 5% of all users are kept out of all flags",
            ])
    }

    @Test func newEnvironmentsSayWhatTheirFlagsDo() {
        let added = { (environment: String) in
            changes { project in
                project.environments.append(AuthoredEnvironment(key: "staging"))
                if environment == "changed" {
                    project.flags[0].rulesByEnvironment["staging"] = AuthoredRules()
                    project.flags[0].rulesByEnvironment["staging"]?.everyoneElse?.variation = "on"
                }
            }
        }
        #expect(added("same") == ["environment staging: added: all flags have the rules of production"])
        #expect(
            added("changed") == [
                "environment staging: added: flags that are not named here are off",
                "environment staging: flag checkout: everyone gets on",
            ])
    }

    @Test func otherIDsAreNamedWithWhatFollows() {
        var (old, new) = (LockFile(), LockFile())
        old.ids = [
            EntityPath(.attribute, "plan"): "1", EntityPath(.event, "purchase"): "2",
            EntityPath(.rule, "production", "checkout", "checkout_ab"): "3", EntityPath(.flag, "gone"): "4",
        ]
        new.ids = [
            EntityPath(.attribute, "plan"): "11", EntityPath(.event, "purchase"): "2",
            EntityPath(.rule, "production", "checkout", "checkout_ab"): "13", EntityPath(.flag, "new"): "4",
        ]
        let changes = ProjectComparison(from: Self.example, to: Self.example, locks: (old, new)).changes
        #expect(
            changes.map { "\($0.subject[0]): \($0.sentence)" } == [
                "attribute plan: id 1 → 11: results before and after are kept apart",
                "flag checkout: rule checkout_ab: id 3 → 13: its users are assigned anew (production)",
            ])
    }

    @Test func allowListsAreComparedByUser() {
        let subject = "flag checkout: experiment checkout_ab: users in the allow list: "
        func change(_ old: [AllowListEntry], _ new: [AllowListEntry]) -> [String] {
            var (before, after) = (Self.example, Self.example)
            before.flags[0].rules.experiments[0].allowList = old
            after.flags[0].rules.experiments[0].allowList = new
            return ProjectComparison(from: before, to: after).changes.map { "\($0.subject[0]): \($0.sentence)" }
        }
        let both = AllowListEntry("on", userIDs: ["ada", "bob"])
        #expect(change([], [both]) == [subject + "2 added (ada none → on, bob none → on)"])
        #expect(
            change([both], [AllowListEntry("off", userIDs: ["bob", "eve"])]) == [
                subject + "1 added, 1 removed, 1 with another variation "
                    + "(ada on → none, bob on → off, eve none → off)"
            ])
        #expect(
            change([both], [AllowListEntry("on", userIDs: ["a", "b", "c"] + both.userIDs)])
                == [subject + "3 added (a none → on, b none → on, c none → on)"])
        #expect(change([AllowListEntry("on", userIDs: ["a", "b", "c", "d"])], [])[0].hasSuffix("c on → none, …)"))
        #expect(change([both], [AllowListEntry("on", userIDs: ["bob", "ada"])]) == [])
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
