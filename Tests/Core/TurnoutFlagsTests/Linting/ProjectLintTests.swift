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

    /// Even if the rule only names the audience.
    @Test func audiencesThatEveryUserMeetsBlockLaterRules() {
        let everyone = AuthoredCondition.any([exists("plan"), .not(exists("plan"))])
        for audience in [everyone, .audience("paying", SourceOrigin())] {
            #expect(
                codes {
                    $0.audiences[0].condition = everyone
                    $0.flags[0].rules.experiments[0].audience = audience
                }.contains("rule-unreachable"))
        }
        #expect(!codes { $0.flags[0].rules.experiments[0].audience = exists("plan") }.contains("rule-unreachable"))
    }

    @Test func aHoldoutThatTakesEveryUserIsOneFinding() {
        func messages(_ edit: (inout AuthoredHoldout) -> Void) -> [String] {
            var project = Self.clean
            project.environments.append(AuthoredEnvironment(key: "test"))
            var holdout = AuthoredHoldout(key: "h", traffic: .all)
            edit(&holdout)
            project.holdouts = [holdout]
            return ProjectLint(project).findings.map(\.message)
        }
        #expect(messages { _ in } == ["no rule of any flag applies: holdout h takes every user (production, test)"])
        #expect(
            messages {
                $0.rules = [RuleReference(flag: "checkout", rule: "checkout_ab")]
                $0.environments = ["test"]
            } == ["rule checkout/checkout_ab never applies: holdout h takes every user (test)"])
        #expect(messages { $0.audience = .audience("paying", SourceOrigin()) } == [])
        #expect(messages { $0.traffic = TrafficShare(buckets: 9_999) } == [])
        #expect(messages { $0.status = .concluded } == [])
        #expect(
            messages { $0.verbatim["trafficAllocation"] = .array([]) } == [
                "trafficAllocation of holdout h is not checked"
            ])
    }

    @Test func audiencesThatOthersNameAreFollowed() {
        let codes = codes {
            $0.audiences += [
                AuthoredAudience(key: "free", condition: test("plan", .exact, "free")),
                AuthoredAudience(
                    key: "both",
                    condition: .all([.audience("paying", SourceOrigin()), .audience("free", SourceOrigin())])),
                AuthoredAudience(key: "loop", condition: .audience("loop", SourceOrigin())),
            ]
        }
        #expect(codes.count { $0 == "audience-never-met" } == 1)
    }

    /// The members of a datafile take the place of the condition.
    @Test func carriedConditionsAreNotLookedAt() {
        #expect(
            codes {
                $0.audiences[0].condition = .any([])
                $0.audiences[0].verbatim["conditions"] = .string("[\"or\"]")
            }.sorted() == ["not-checked", "unused-attribute", "unused-attribute"])
    }

    /// Members that decide nothing, and those that only name the part, need no check.
    @Test func idleMembersOfDatafilesAreNotReported() {
        #expect(
            !codes {
                $0.verbatim["variables"] = .array([])
                $0.attributes[0].verbatim["id"] = .string("61")
                $0.audiences[0].verbatim["_comment"] = .string("from 2019")
            }.contains("not-checked"))
        #expect(codes { $0.audiences[0].verbatim["new_member"] = .bool(true) }.contains("not-checked"))
        #expect(
            !codes {
                $0.audiences[0].verbatim["new_member"] = .bool(true)
                $0.audiences[0].ignoredFindings = [IgnoredFinding("not-checked")]
            }.contains("not-checked"))
    }

    @Test func messagesSayWhichRuleOfWhichFlagInWhichEnvironmentsAndWhy() throws {
        let text = ProjectText(
            """
            {"project": "shop", "environments": {"a": {}, "b": {}, "c": {}}, "flags": {"f": {"variations": {"on": {}},
            "rules": [{"delivery": "first", "serve": "on"}, {"delivery": "second", "serve": "on"}],
            "in": {"b": {"else": "on"}, "c": {"rules": []}}}}}
            """)
        let findings = ProjectLint(try text.read(), source: text.source).findings
        let unreachable = findings.filter { $0.code == "rule-unreachable" }
        #expect(
            unreachable.map(\.message) == [
                "delivery second of flag f never applies: delivery first before it takes every user (a, b)"
            ])
        #expect(unreachable[0].position?.line == 2 && unreachable[0].advice?.contains("Move the rule up") == true)
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

    /// What the second of two deliveries is for, and whether the first one takes all of its users.
    private static let laterAudiences: [(wide: AuthoredCondition, narrow: AuthoredCondition, isTaken: Bool)] = [
        (.any([test("plan", .exact, "a"), test("plan", .exact, "b")]), test("plan", .exact, "a"), true),
        (
            .any([test("plan", .exact, "a"), test("plan", .exact, "b"), test("plan", .exact, "c")]),
            .any([test("plan", .exact, "a"), test("plan", .exact, "c")]), true
        ),
        (.any([test("plan", .exact, "a"), test("plan", .exact, "b")]), test("plan", .exact, "c"), false),
        (test("age", .greaterOrEqual, 5), test("age", .greaterOrEqual, 10), true),
        (test("age", .greaterOrEqual, 10), test("age", .greaterOrEqual, 5), false),
        (test("age", .greater, 5), test("age", .greaterOrEqual, 5), false),
        (test("age", .greaterOrEqual, 5), test("age", .greater, 5), true),
        (test("age", .greater, 5), test("age", .exact, 6), true),
        (test("age", .greater, 5), test("age", .exact, "6"), false),
        (exists("plan"), test("plan", .substring, "a"), true),
        (.not(test("plan", .exact, "a")), test("plan", .exact, "b"), true),
        (.not(test("plan", .exact, "a")), test("age", .exact, 1), false),
        (.not(test("age", .greater, 5)), test("age", .less, 5), true),
        (test("age", .lessOrEqual, 5), .not(test("age", .greater, 5)), false),
        (test("plan", .substring, "a"), .all([test("plan", .substring, "a"), exists("age")]), true),
        (.audience("paying", SourceOrigin()), .all([.audience("paying", SourceOrigin()), exists("age")]), true),
        (.all([exists("age"), exists("plan")]), exists("age"), false),
    ]

    @Test(arguments: laterAudiences.indices)
    func deliveriesBehindAWiderOneAreUnreachable(index: Int) {
        let (wide, narrow, isTaken) = Self.laterAudiences[index]
        let found = codes {
            $0.flags[0].rules.deliveries = [wide, narrow].enumerated().map { number, audience in
                var delivery = AuthoredDelivery(key: "d\(number)", variation: "on")
                delivery.audience = audience
                return delivery
            }
        }
        #expect(found.contains("rule-unreachable") == isTaken, "\(wide.words); \(narrow.words)")
    }

    /// Users of an allow list take part whatever the audience.
    @Test func experimentsWithAnAllowListAreReachedBehindAWiderOne() {
        func isReported(_ edit: (inout AuthoredExperiment) -> Void) -> Bool {
            codes {
                var first = $0.flags[0].rules.experiments[0]
                first.audience = exists("plan")
                var second = first
                second.key = "second"
                second.audience = test("plan", .exact, "a")
                edit(&second)
                $0.flags[0].rules.experiments = [first, second]
            }.contains("rule-unreachable")
        }
        #expect(isReported { _ in })
        #expect(!isReported { $0.allowList = [AllowListEntry("on", userIDs: ["ada"])] })
    }

    /// A value that is that of the default is none that a program sees.
    @Test func overridesWithTheDefaultChangeNothing() {
        func found(_ value: String) -> [String] {
            codes {
                $0.flags[0].variables.append(AuthoredVariable(key: "size", type: .integer, defaultValue: "3"))
                $0.flags[0].variations += [
                    AuthoredVariation(key: "a", overrides: [AuthoredOverride("size", value)]),
                    AuthoredVariation(key: "b"),
                ]
                $0.flags[0].rules.experiments[0].split = [SplitShare("a", weight: 50), SplitShare("b", weight: 50)]
            }.filter { ["variations-equal", "variable-never-overridden"].contains($0) }
        }
        #expect(found("3") == ["variations-equal", "variable-never-overridden"])
        #expect(found("4") == [])
    }

    @Test(arguments: [
        AuthoredCondition.all([test("plan", .exact, "a"), test("plan", .exact, "b")]),
        .all([test("age", .greater, 5), test("age", .less, 5)]),
        .all([test("age", .exact, 3), test("age", .greaterOrEqual, 4)]),
        .all([.audience("x", SourceOrigin()), .not(.audience("x", SourceOrigin()))]),
        .all([.any([test("plan", .exact, "a"), test("plan", .exact, "b")]), test("plan", .exact, "c")]),
        .all([test("age", .greater, 5), test("age", .exact, "7")]), .all([exists("age"), .not(exists("age"))]),
        .all([.not(exists("age")), .not(test("age", .exact, 7))]),
        .all([test("age", .greater, 5), .not(test("age", .greater, 2))]),
        .all([test("age", .greaterOrEqual, 5), test("age", .lessOrEqual, 5), .not(test("age", .exact, 5))]),
        .not(.any([test("plan", .exact, "a"), .not(test("plan", .exact, "a"))])),
        .all([.segment("x", SourceOrigin()), .not(.segment("x", SourceOrigin()))]),
        .all([
            .any([test("age", .less, 1), test("age", .greater, 9)]),
            .any([test("age", .exact, 3), test("age", .exact, 4)]),
        ]),
        .any([]), .all([]),
        .not(.any([.attribute(AttributeTest("a", .exists, nil)), .not(.attribute(AttributeTest("a", .exists, nil)))])),
    ])
    func contradictionsAreNeverMet(condition: AuthoredCondition) {
        #expect(codes { $0.audiences[0].condition = condition }.contains("audience-never-met"))
    }

    @Test(arguments: [
        AuthoredCondition.any([exists("a"), .not(exists("a"))]), .not(.all([exists("a"), .not(exists("a"))])),
        .not(.all([.not(.any([exists("a"), .not(exists("a"))])), test("plan", .exact, "a")])),
    ])
    func conditionsThatAreKnownForEveryUserAreAlwaysMet(condition: AuthoredCondition) {
        #expect(codes { $0.audiences[0].condition = condition }.contains("audience-always-met"))
    }

    @Test func theOppositeOfAllOfNothingIsUnknownAndThatOfAnyOfNothingIsMet() {
        let all = codes { $0.audiences[0].condition = .not(.all([])) }
        #expect(all.contains("audience-never-met") && !all.contains("audience-always-met"))
        let any = codes { $0.audiences[0].condition = .not(.any([])) }
        #expect(any.contains("audience-always-met") && !any.contains("audience-never-met"))
    }

    @Test func longListsOfConditionsTakeLinearTime() throws {
        try expectLinearTime("lint", sizes: (10_001, 40_004)) { count in
            var project = Self.clean
            project.audiences[0].condition = .all((0..<count).map { test("plan", .substring, "\($0)") })
            let lint = ProjectLint(project)
            return { lint.findings.count }
        }
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

    @Test func veryManyFindingsAreListedInPart() {
        var project = AuthoredProject(key: "p")
        project.environments = [AuthoredEnvironment(key: "production")]
        project.attributes = (0..<2_000).map { AuthoredAttribute(key: "a\($0)") }
        project.ignoredFindings = (0..<30).map { IgnoredFinding("wrong-\($0)") }
        let findings = ProjectLint(project).findings
        #expect(findings.count == 1_001)
        #expect(findings.count { $0.severity == .warning } == 30)
        #expect(findings.last?.text(in: "f") == "f: note: and 1030 more problems, which are not listed [too-many]")
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
        let everyone = { (project: inout AuthoredProject) in
            edit(&project)
            project.holdouts[0].traffic = .all
        }
        // Before the first compilation, the ids are those that it would derive.
        #expect(codes(everyone, lock: LockFile()).contains("allow-list-held-out"))
        // Buckets that the holdout gave up are a hole.
        lock.allocations[EntityPath(.holdout, "production", "q4")] = TrafficAllocation([
            .init("", end: 100), .init("off", end: 200),
        ])
        #expect(codes(edit, lock: lock) == [])
    }

    @Test func aDeliveryOfOffToEveryoneKeepsTheFlagOff() {
        func isAlwaysOff(_ edit: (inout AuthoredDelivery) -> Void) -> Bool {
            codes { project in
                var flag = AuthoredFlag(key: "later")
                flag.variations = [AuthoredVariation(key: "on")]
                flag.rules.everyoneElse?.variation = "on"
                flag.rules.deliveries = [AuthoredDelivery(key: "q", variation: "off")]
                edit(&flag.rules.deliveries[0])
                project.flags.append(flag)
            }.contains("flag-always-off")
        }
        #expect(isAlwaysOff { _ in })
        #expect(!isAlwaysOff { $0.variation = "on" })
        #expect(!isAlwaysOff { $0.traffic = TrafficShare(buckets: 9_999) })
        #expect(!isAlwaysOff { $0.audience = exists("plan") })
        #expect(!isAlwaysOff { $0.isEnabled = false })
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
        experiment.audience = .audience("paying", SourceOrigin())
        experiment.split = [SplitShare("off", weight: 1), SplitShare("on", weight: 1)]
        experiment.metrics = [ExperimentMetric(event: "purchase", aggregation: .unique)]
        flag.rules.experiments = [experiment]
        flag.rules.deliveries = [AuthoredDelivery(key: "all", variation: "on")]
        project.flags = [flag]
        return project
    }()
}
