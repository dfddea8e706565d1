/// A trace reports what happened at every rule, as values, as a tree and as JSON.
@Suite struct DecisionTraceTests {
    private func shop() throws -> Project { try Project(datafile: ExampleShop.datafile) }

    private func rules(_ trace: DecisionTrace) -> [RuleTrace] {
        trace.stages.compactMap { if case .rule(let rule) = $0 { rule } else { nil } }
    }

    @Test func traceAndDecisionAgreeForEveryFlag() throws {
        let project = try shop()
        for id in ["ada", "linus", "marie", "olga", "vera"] {
            let user = User(id, attributes: ["country": "US", "orders": 12, "cart_total": 120, "plan": "gold"])
            for flag in project.flags {
                let decision = project.decide(flag.key, for: user)
                let trace = project.explain(flag.key, for: user)
                #expect(trace.decision.variationKey == decision.variationKey)
                #expect(trace.decision.stage == decision.stage)
                #expect(trace.description.hasPrefix("\(flag.key) for \"\(id)\""))
                let json = try JSONValue(parsing: trace.json)
                #expect(json["variation"] == decision.variationKey.map { .string($0) } ?? .null)
                #expect(json["stage"] == .string(decision.stage.rawValue))
            }
        }
    }

    @Test func traceOfABucketContainsSaltAndRange() throws {
        let trace = try shop().explain("search_ranking", for: User("ada"))
        let rule = try #require(rules(trace).last)
        guard case .bucket(let bucket)? = rule.checks.last,
            case .group(let group, let isAdmitted)? = rule.checks.dropLast().last
        else {
            Issue.record("no buckets in \(rule.checks)")
            return
        }
        #expect(bucket.salt == rule.id && bucket.bucketingID == "ada")
        #expect(bucket.bucket == Bucketing(bucketingID: "ada").bucket(entityID: rule.id))
        #expect(try #require(bucket.range).buckets.contains(bucket.bucket))
        #expect(isAdmitted && group.salt != bucket.salt)
    }

    @Test func audienceShowsExpectedAndActualValues() throws {
        let project = try shop()
        let user = User("linus", attributes: ["plan": "business"])
        let trace = project.explain("free_shipping", for: user)
        let rule = try #require(rules(trace).first { $0.key == "ship_vip" })
        guard case .audience(let audience)? = rule.checks.first else {
            Issue.record("no audience in \(rule.checks)")
            return
        }
        #expect(audience.answer == .no)
        let leaf = audience.operands[0].operands[0].operands[0]
        #expect(
            leaf.condition == .attribute(name: "plan", match: "exact", expected: "\"gold\"", actual: "\"business\""))
    }

    @Test func unknownConditionsNameTheirCause() throws {
        let trace = try shop().explain("free_shipping", for: User("linus"))
        #expect(trace.description.contains("unknown (attribute missing)"))
        #expect(trace.json.contains(#""cause":"missingAttribute""#))
    }

    @Test func localHoldoutsAreNestedInTheirRule() throws {
        let trace = try shop().explain("free_shipping", for: User("olga", attributes: ["cart_total": 120]))
        let rule = try #require(rules(trace).first { $0.key == "ship_big_cart" })
        guard case .localHoldout(let holdout)? = rule.checks.first else {
            Issue.record("no holdout in \(rule.checks)")
            return
        }
        #expect(holdout.key == "ship_holdout" && trace.decision.stage == .holdout)
    }

    @Test func forcedAndStoredDecisionsAreMarked() throws {
        let project = try shop()
        var grace = User("grace")
        grace.forcedDecisions[DecisionContext(flag: "loyalty_banner")] = "gift"
        #expect(
            project.explain("loyalty_banner", for: grace).description.contains("forced decision for the flag: gift"))
        let experiment = try #require(project.experiment("ranking_test"))
        let profile = UserProfile([experiment.id: experiment.variations[0].id])
        let trace = project.explain("search_ranking", for: User("alan"), profile: profile)
        #expect(trace.description.contains("stored assignment: by_sales"))
    }

    @Test func effectsAreTraced() throws {
        let trace = try shop().explain("search_ranking", for: User("ada"))
        #expect(trace.description.contains("store assignment: experiment"))
        #expect(trace.description.contains("send: impression, feature-test"))
        let effects = try JSONValue(parsing: trace.json)["effects"]
        #expect(effects?["assignment"]?["experiment_id"] == .string(try #require(trace.decision.rule).id))
    }

    @Test func predictionsAreTraced() throws {
        let project = try shop()
        // The bandit has only a share of the traffic; this user is in it.
        let member = try #require(
            (0..<50).map { User("member-\($0)", attributes: ["plan": "silver"]) }
                .first {
                    project.decide("loyalty_banner", for: $0, predictions: .received([:])).stage == .needsPrediction
                })
        #expect(project.explain("loyalty_banner", for: member).description.contains("no prediction service"))
        let open = project.explain("loyalty_banner", for: member, predictions: .received([:]))
        #expect(open.decision.stage == .needsPrediction && open.description.contains("needs a prediction"))
        let bandit = try #require(project.experiment("banner_bandit"))
        let failed = project.explain("loyalty_banner", for: member, predictions: .received([bandit.id: .failed]))
        #expect(failed.description.contains("no variation, because the prediction failed"))
        let prediction = Prediction.variation(id: bandit.variations[0].id, uuid: "U-1")
        let predicted = project.explain("loyalty_banner", for: member, predictions: .received([bandit.id: prediction]))
        #expect(predicted.decision.predictionUUID == "U-1" && predicted.json.contains(#""check":"predicted""#))
    }

    @Test func unknownFlagHasAShortTrace() throws {
        let trace = try shop().explain("nope", for: User("ada"))
        #expect(trace.stages.isEmpty && trace.description.contains("no such flag"))
    }
}
