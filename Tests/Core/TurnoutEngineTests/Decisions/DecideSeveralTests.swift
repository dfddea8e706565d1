@Suite struct DecideSeveralTests {
    /// An assignment for one flag is remembered when the next is decided.
    @Test func flagsOfOneCallShareTheProfile() throws {
        let project = try Self.project()
        let batch = project.decideAll(for: User("u"), options: .includeReasons)
        #expect(batch.decisions.map(\.stage) == [.bucketed, .storedAssignment, .bucketed])
        #expect(batch.decisions.map(\.variationKey) == ["1a", "1a", "3a"])
        #expect(batch.assignments == ["1": "11", "3": "31"])
        #expect(batch.decisions[1].reasons == [.storedAssignment(variation: "1a", experiment: "rule1", user: "u")])
        let alone = ["first", "second", "third"].map { project.decide($0, for: User("u")).stage }
        #expect(alone == [.bucketed, .bucketed, .bucketed])
    }

    /// As in the vendor's client, which looks for the forced decision once, and reports the values of variables again
    /// with each repetition.
    @Test func flagsNamedTwiceHaveTheReasonsOfTheVendor() throws {
        var user = User("u")
        user.forcedDecisions[DecisionContext(flag: "first")] = "gone"
        let invalid = Reason.invalidForcedDecision(flag: "first", rule: nil, user: "u")
        let batch = try Self.project().decide(["first", "first"], for: user, options: .includeReasons)
        for decision in batch.decisions {
            #expect(
                decision.reasons == [
                    invalid, .inExperiment(variation: "1a", experiment: "rule1", user: "u"),
                    .storedAssignment(variation: "1a", experiment: "rule1", user: "u"),
                ])
        }
        let variables = #"{"id": "1", "key": "v", "type": "integer", "defaultValue": "x"}"#
        let project = try SmallDatafile(flags: SmallDatafile.flag("f", variables: variables)).project()
        let errors = project.decide(["f", "f"], for: User("u"))
        #expect(errors.decisions.map(\.reasons.count) == [1, 2])
        #expect(errors.selected.map(\.reasons) == [[.invalidVariable(variable: "v"), .invalidVariable(variable: "v")]])
    }

    @Test func duplicateFlagKeysDecideTheLastForEach() throws {
        let project = try SmallDatafile(
            experiments: SmallDatafile.rule("1") + "," + SmallDatafile.rule("3"),
            flags: SmallDatafile.flag("same", experiments: ["1"]) + "," + SmallDatafile.flag("same", experiments: ["3"])
        ).project()
        #expect(project.decide("same", for: User("u")).ruleKey == "rule3")
        #expect(project.decideAll(for: User("u")).decisions.map(\.ruleKey) == ["rule3", "rule3"])
    }

    /// The results that the example's README describes.
    @Test func exampleUsersGetTheVariationsOfTheReadme() throws {
        let project = try ExampleShop.project()
        let users = Dictionary(uniqueKeysWithValues: try ExampleShop.users().map { ($0.id, $0) })
        for (name, flag, rule, variation) in [
            ("ada", "free_shipping", "ship_vip", "always"), ("grace", "dark_mode", "dark_ramp", "light"),
            ("grace", "loyalty_banner", nil, "gift"), ("linus", "free_shipping", "ship_rest", "over_75"),
            ("linus", "new_invoice", "invoice_eu", "pdf"), ("alan", "search_ranking", "ranking_test", "by_sales"),
            ("marie", "dark_mode", "global_holdout", "untouched"),
            ("olga", "free_shipping", "ship_holdout", "no_offer"),
            ("olga", "dark_mode", "dark_ramp", "dark"), ("vera", "checkout_redesign", "checkout_test", "two_step"),
        ] as [(String, String, String?, String)] {
            let user = try #require(users[name])
            let decision = project.decide(flag, for: user, profile: try ExampleShop.profile(of: user))
            #expect(decision.ruleKey == rule, "\(name), \(flag)")
            #expect(decision.variationKey == variation, "\(name), \(flag)")
        }
    }

    /// `first` and `second` share an experiment.
    private static func project() throws -> Project {
        try SmallDatafile(
            experiments: SmallDatafile.rule("1") + "," + SmallDatafile.rule("3"),
            flags: [("first", "1"), ("second", "1"), ("third", "3")]
                .map { SmallDatafile.flag($0.0, experiments: [$0.1]) }.joined(separator: ",")
        ).project()
    }
}
