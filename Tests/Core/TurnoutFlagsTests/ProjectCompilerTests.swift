@Suite struct ProjectCompilerTests {
    /// The project of the documentation, in short.
    private func shop() -> AuthoredProject {
        var project = AuthoredProject(key: "shop")
        project.environments = [
            AuthoredEnvironment(key: "production", sdkKeys: ["prod_abc", "prod_old"]),
            AuthoredEnvironment(key: "development", sdkKeys: ["dev_abc"]),
        ]
        project.attributes = ["plan", "country", "app_version"].map { AuthoredAttribute(key: $0) }
        project.events = ["purchase", "signup"].map { AuthoredEvent(key: $0) }
        let premium = AuthoredCondition.attribute(AttributeTest("plan", .exact, .string("premium")))
        let country = AuthoredCondition.attribute(AttributeTest("country", .exact, .string("US")))
        project.audiences = [
            AuthoredAudience(key: "paying", condition: premium),
            AuthoredAudience(
                key: "vip",
                condition: .any([
                    .segment("big_spender", SourceOrigin()),
                    .all([.audience("paying", SourceOrigin()), .not(country)]),
                ])),
        ]
        project.flags = [checkout()]
        return project
    }

    private func checkout() -> AuthoredFlag {
        var flag = AuthoredFlag(key: "checkout")
        flag.variables = [
            AuthoredVariable(key: "title", type: .string, defaultValue: "Pay"),
            AuthoredVariable(key: "theme", type: .json, defaultValue: #"{"dark":false}"#),
        ]
        flag.variations = [
            AuthoredVariation(key: "on"),
            AuthoredVariation(key: "big", overrides: [AuthoredOverride("title", "Pay now")]),
        ]
        var experiment = AuthoredExperiment(key: "checkout_ab")
        experiment.audience = .audience("paying", SourceOrigin())
        experiment.traffic = TrafficShare(buckets: 5_000)
        experiment.split = [SplitShare("off", weight: 50), SplitShare("on", weight: 25), SplitShare("big", weight: 25)]
        experiment.metrics = [ExperimentMetric(event: "purchase", aggregation: .unique)]
        experiment.allowList = [AllowListEntry("big", userIDs: ["ada"])]
        var delivery = AuthoredDelivery(key: "checkout_us", variation: "on")
        delivery.audience = .attribute(AttributeTest("country", .exact, .string("US")))
        delivery.traffic = TrafficShare(buckets: 1_000)
        flag.rules.experiments = [experiment]
        flag.rules.deliveries = [delivery]
        var developers = AuthoredRules()
        developers.deliveries = [AuthoredDelivery(key: "checkout_developers", variation: "on")]
        flag.rulesByEnvironment = ["development": developers]
        return flag
    }

    private func compile(
        _ project: AuthoredProject, _ lock: LockFile = LockFile(), location: SourceLocation = #_sourceLocation
    ) -> CompiledProject {
        let compiled = ProjectCompiler(project, lock: lock).compile()
        #expect(compiled.diagnostics.all.isEmpty, sourceLocation: location)
        #expect(throws: Never.self, sourceLocation: location) {
            let read = try LockFile(text: compiled.lock.text)
            #expect(read == compiled.lock, sourceLocation: location)
        }
        return compiled
    }

    private func production(_ compiled: CompiledProject) throws -> Project {
        try Project(datafile: try #require(compiled.datafiles.first).bytes)
    }

    private func errors(_ project: AuthoredProject) -> [String] {
        let compiled = ProjectCompiler(project, lock: LockFile()).compile()
        #expect(compiled.datafiles.isEmpty && compiled.lock == LockFile())
        return compiled.diagnostics.all.map(\.code)
    }

    // MARK: Decisions

    @Test func environmentsHaveTheirOwnDatafiles() throws {
        let compiled = compile(shop())
        #expect(compiled.datafiles.map(\.environment) == ["production", "development"])
        #expect(compiled.datafiles.map(\.revision) == [1, 1])
        let development = try Project(datafile: compiled.datafiles[1].bytes)
        #expect(development.sdkKey == "dev_abc")
        #expect(development.environmentKey == "development")
        #expect(development.decide("checkout", for: User("x")).variationKey == "on")
    }

    @Test func designsHaveTheIdsOfTheirRules() throws {
        var project = shop()
        var second = ExperimentMetric(event: "signup", aggregation: .revenuePerConversion)
        (second.name, second.windowDays) = ("worth", 7)
        project.flags[0].rules.experiments[0].metrics.append(second)
        project.flags[0].rules.experiments[0].plan = ExperimentPlan(visitors: 40_000, perDay: 300)
        let compiled = compile(project)
        let rule = try #require(try production(compiled).experiments.first { $0.key == "checkout_ab" })
        let first = ExperimentMetric(event: "purchase", aggregation: .unique)
        var design = ExperimentDesign([first, second])
        design.plan = ExperimentPlan(visitors: 40_000, perDay: 300)
        design.variations = project.flags[0].rules.experiments[0].split.map(\.variation)
        #expect(compiled.datafiles[0].designs[rule.id] == design)
        #expect(compiled.datafiles[1].designs.isEmpty)
        let text = String(decoding: compiled.datafiles[0].bytes, as: UTF8.self)
        for event in ["purchase", "signup"] {
            #expect(text.contains(#""key":"\#(event)","experimentIds":["\#(rule.id)"]"#), "\(text)")
        }
    }

    @Test func compiledRulesDecideAsWritten() throws {
        let project = try production(compile(shop()))
        #expect(project.warnings.isEmpty)
        #expect(project.decide("checkout", for: User("ada")).variationKey == "big")
        var counts: [String: Int] = [:]
        for number in 0..<10_000 {
            let decision = project.decide("checkout", for: User("u\(number)", attributes: ["plan": "premium"]))
            counts["\(decision.ruleKey == "checkout_ab") \(decision.variationKey ?? "none")", default: 0] += 1
        }
        #expect(abs((counts["true off"] ?? 0) - 2_500) < 200, "\(counts)")
        #expect(abs((counts["true on"] ?? 0) - 1_250) < 200)
        #expect(abs((counts["true big"] ?? 0) - 1_250) < 200)
        #expect(abs((counts["false off"] ?? 0) - 5_000) < 200)
    }

    @Test func usersOutsideTheTrafficOfADeliveryGetTheElseVariation() throws {
        let project = try production(compile(shop()))
        let users = (0..<10_000).map { User("u\($0)", attributes: ["country": "US"]) }
        let on = users.count { project.decide("checkout", for: $0).variationKey == "on" }
        #expect(abs(on - 1_000) < 150)
        let rest = users.map { project.decide("checkout", for: $0) }.first { $0.variationKey == "off" }
        #expect(rest?.ruleKey?.hasPrefix("default-rollout-") == true)
        #expect(rest?.isEnabled == false)
    }

    @Test func disabledFlagsServeOffAndKeepTheirUsers() throws {
        var project = shop()
        let before = compile(project)
        project.flags[0].rules.isEnabled = false
        let disabled = compile(project, before.lock)
        let decided = try production(disabled).decide("checkout", for: User("ada"))
        #expect(decided.variationKey == "off")
        #expect(disabled.lock.ids == before.lock.ids)
        #expect(disabled.lock.allocations == before.lock.allocations)
        project.flags[0].rules.isEnabled = true
        #expect(compile(project, disabled.lock).lock.ids == before.lock.ids)
    }

    @Test func audiencesContainTheAudiencesTheyName() throws {
        var project = shop()
        project.flags[0].rules.deliveries[0].audience = .audience("vip", SourceOrigin())
        project.flags[0].rules.deliveries[0].traffic = .all
        project.flags[0].rules.experiments = []
        let compiled = try production(compile(project))
        func variation(_ attributes: Attributes, _ segments: Set<String> = []) -> String? {
            var user = User("u", attributes: attributes)
            user.segments = segments
            return compiled.decide("checkout", for: user).variationKey
        }
        #expect(variation(["plan": "premium", "country": "DE"]) == "on")
        #expect(variation(["plan": "premium", "country": "US"]) == "off")
        #expect(variation([:], ["big_spender"]) == "on")
    }

    @Test func membersWrittenVerbatimReplaceCompiledOnes() throws {
        var project = shop()
        project.verbatim = ["accountId": .string("77"), "zebra": .integer(1)]
        project.flags[0].verbatim = ["id": .string("4711")]
        let compiled = try production(compile(project))
        #expect(compiled.accountID == "77")
        #expect(compiled.flag("checkout")?.id == "4711")
        project.flags[0].verbatim = ["id": .integer(1)]
        #expect(errors(project) == ["invalid-datafile"])
    }

    // MARK: Stability

    /// Earlier versions gave the first buckets to the variation that was written first.
    @Test func projectsThatWereLockedInAnotherOrderKeepTheirUsers() {
        var lock = compile(shop()).lock
        let path = EntityPath(.rule, "production", "checkout", "checkout_ab")
        let ranges: [TrafficAllocation.Range] = [
            .init("off", end: 2_500), .init("on", end: 3_750), .init("big", end: 5_000),
        ]
        lock.allocations[path] = TrafficAllocation(ranges)
        #expect(compile(shop(), lock).lock.allocations[path]?.ranges == ranges)
    }

    @Test func revisionsGrowOnlyWhereTheContentChanges() {
        var project = shop()
        let first = compile(project)
        project.flags[0].rules.experiments[0].traffic = .all
        project.flags[0].description = "Not in datafiles"
        let second = compile(project, first.lock)
        #expect(second.datafiles.map(\.revision) == [2, 1])
    }

    @Test func aServedRevisionNamesItsContent() throws {
        var project = shop()
        let lock = compile(project).lock
        let revision = { (project: AuthoredProject, lock: LockFile) in
            try production(ProjectCompiler(project, lock: lock, isServed: true).compile()).revision
        }
        #expect(try revision(project, lock) == "1")
        var revisions: Set<String> = []
        for buckets in 1...100 {
            project.flags[0].rules.experiments[0].traffic = TrafficShare(buckets: buckets)
            revisions.insert(try revision(project, lock))
            #expect(try revision(project, lock) == revision(project, lock))
        }
        #expect(revisions.count == 100 && revisions.allSatisfy { $0.hasPrefix("1-") && $0.count == 14 })
        #expect(try revision(project, LockFile()).hasPrefix("0-"))
        #expect(try revision(project, compile(project, lock).lock) == "2")
        #expect(try revision(shop(), lock) == "1")
    }

    // MARK: Ids

    @Test func idsAreDecimalNumbersBelowTwoToTheFiftyThird() {
        let lock = compile(shop()).lock
        for (path, id) in lock.ids where path.kind != .rollout {
            #expect(id.utf8.count == 16 && UInt64(id).map { $0 < 1 << 53 } == true)
        }
        #expect(Set(lock.ids.values).count == lock.ids.count)
    }

    @Test func renamesKeepIdsTrafficAndDecisions() throws {
        var project = shop()
        project.groups = [
            AuthoredGroup(
                key: "tests",
                members: [
                    GroupMember(
                        RuleReference(flag: "checkout", rule: "checkout_ab"), traffic: TrafficShare(buckets: 4_000))
                ])
        ]
        let before = compile(project)
        var renamed = project
        renamed.flags[0].key = "payment"
        renamed.flags[0].formerKey = "checkout"
        renamed.flags[0].variations[1].key = "huge"
        renamed.flags[0].variations[1].formerKey = "big"
        renamed.flags[0].rules.experiments[0].key = "payment_ab"
        renamed.flags[0].rules.experiments[0].formerKey = "checkout_ab"
        renamed.flags[0].rules.experiments[0].split[2].variation = "huge"
        renamed.flags[0].rules.experiments[0].allowList[0].variation = "huge"
        renamed.groups[0].members[0].experiment = RuleReference(flag: "payment", rule: "payment_ab")
        renamed.groups[0].formerKey = "tests"
        renamed.groups[0].key = "payments"
        let after = compile(renamed, before.lock)
        #expect(after.lock.retiredIDs.isEmpty)
        #expect(after.lock.ids.values.sorted() == before.lock.ids.values.sorted())
        let allocations = after.lock.allocations
        #expect(
            allocations[EntityPath(.group, "production", "payments")]?.ranges == [
                .init("payment/payment_ab", end: 4_000)
            ])
        #expect(
            allocations[EntityPath(.rule, "production", "payment", "payment_ab")]?.ranges.map(\.end)
                == [1_250, 3_750, 5_000])
        let (old, new) = (try production(before), try production(after))
        for number in 0..<2_000 {
            let user = User("u\(number)", attributes: ["plan": "premium"])
            let key = old.decide("checkout", for: user).variationKey
            #expect(new.decide("payment", for: user).variationKey == (key == "big" ? "huge" : key))
        }
        // The former keys stay harmless, and free for others.
        #expect(compile(renamed, after.lock).lock == after.lock)
        renamed.flags.append(checkout())
        renamed.flags[1].rules.experiments = []
        renamed.flags[1].rules.deliveries = []
        renamed.flags[1].rulesByEnvironment = [:]
        let both = compile(renamed, after.lock)
        #expect(both.lock.ids[EntityPath(.flag, "payment")] == before.lock.ids[EntityPath(.flag, "checkout")])
        #expect(Set(both.lock.ids.values).count == both.lock.ids.count)
    }

    @Test func chainsOfRenamesMoveEachId() {
        var project = AuthoredProject(key: "p")
        project.environments = [AuthoredEnvironment(key: "e")]
        project.events = ["a", "b"].map { AuthoredEvent(key: $0) }
        let before = compile(project).lock
        project.events = [AuthoredEvent(key: "b", formerKey: "a"), AuthoredEvent(key: "c", formerKey: "b")]
        let after = compile(project, before).lock
        #expect(after.ids[EntityPath(.event, "b")] == before.ids[EntityPath(.event, "a")])
        #expect(after.ids[EntityPath(.event, "c")] == before.ids[EntityPath(.event, "b")])
        project.events.append(AuthoredEvent(key: "d", formerKey: "b"))
        #expect(errors(project) == ["duplicate-former-key"])
    }

    @Test func idsOfDeletedKeysAreNeverUsedAgain() {
        let project = shop()
        let first = compile(project)
        var empty = project
        empty.flags = []
        let second = compile(empty, first.lock)
        #expect(second.lock.retiredIDs[EntityPath(.flag, "checkout")]?.count == 1)
        let third = compile(project, second.lock)
        let fourth = compile(project, compile(empty, third.lock).lock)
        #expect(fourth.lock.retiredIDs[EntityPath(.flag, "checkout")]?.count == 2)
        let used = [first, third, fourth].map {
            $0.lock.ids[EntityPath(.rule, "production", "checkout", "checkout_ab")]
        }
        #expect(Set(used).count == 3)
    }

    @Test func removedEnvironmentsRetireTheirIdsAndKeepTheirRevision() {
        var project = shop()
        let first = compile(project)
        project.environments.removeLast()
        let second = compile(project, first.lock)
        #expect(second.lock.ids.keys.allSatisfy { !$0.keys.contains("development") })
        #expect(second.lock.retiredIDs[EntityPath(.rule, "development", "checkout", "checkout_developers")] != nil)
        #expect(second.lock.revisions["development"]?.number == 1)
    }

    // MARK: Errors

    @Test func danglingReferencesAreErrors() {
        var project = shop()
        project.flags[0].rules.everyoneElse?.variation = "no"
        project.flags[0].rules.experiments[0].audience = .any([.audience("no", SourceOrigin())])
        project.flags[0].rules.experiments[0].split[0].variation = "no"
        project.flags[0].rules.experiments[0].metrics[0].event = "no"
        project.flags[0].variations[1].overrides[0].variable = "no"
        project.groups = [
            AuthoredGroup(key: "g", members: [GroupMember(RuleReference(flag: "no", rule: "no"), traffic: .all)])
        ]
        project.holdouts = [AuthoredHoldout(key: "h", traffic: .all)]
        project.holdouts[0].rules = [RuleReference(flag: nil, rule: "no")]
        #expect(
            Set(errors(project)) == [
                "unknown-variation", "unknown-audience", "unknown-event", "unknown-variable", "unknown-rule",
            ])
    }

    @Test func audiencesThatContainThemselvesAreErrors() {
        var project = shop()
        project.audiences = [
            AuthoredAudience(key: "a", condition: .not(.audience("b", SourceOrigin()))),
            AuthoredAudience(key: "b", condition: .audience("a", SourceOrigin())),
        ]
        project.flags = []
        let compiled = ProjectCompiler(project, lock: LockFile()).compile()
        #expect(compiled.diagnostics.all.map(\.code) == ["audience-cycle", "audience-cycle"])
        #expect(compiled.diagnostics.all.first?.message.contains("a → b → a") == true)
    }

    @Test func conditionsAreLimitedInDepthAndSize() {
        var project = shop()
        project.flags = []
        var deep = AuthoredCondition.attribute(AttributeTest("plan", .exists, nil))
        for _ in 0..<1_000 { deep = .not(deep) }
        project.audiences = [AuthoredAudience(key: "a0", condition: deep)]
        #expect(errors(project) == ["condition-depth"])
        project.audiences = [AuthoredAudience(key: "a0", condition: .attribute(AttributeTest("plan", .exists, nil)))]
        for number in 1..<40 {
            let half = AuthoredCondition.audience("a\(number - 1)", SourceOrigin())
            project.audiences.append(AuthoredAudience(key: "a\(number)", condition: .any([half, half])))
        }
        #expect(Set(errors(project)) == ["condition-size"])
    }

    @Test func randomProjectsCompileTheSameTwice() throws {
        for seed in 0..<UInt64(rounds(15, thorough: 100)) {
            let project = RandomProject.project(seed: seed)
            let first = ProjectCompiler(project, lock: LockFile()).compile()
            #expect(first.diagnostics.all.isEmpty, "seed \(seed): \(first.diagnostics.all)")
            #expect(first.datafiles.count == project.environments.count)
            #expect(try LockFile(text: first.lock.text) == first.lock, "seed \(seed)")
            let second = ProjectCompiler(project, lock: first.lock).compile()
            #expect(second.datafiles.map(\.bytes) == first.datafiles.map(\.bytes), "seed \(seed)")
            #expect(second.lock == first.lock, "seed \(seed)")
        }
    }
}
