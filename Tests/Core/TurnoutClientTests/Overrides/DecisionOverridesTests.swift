/// Variations can be forced for all users from outside the program.
@Suite struct DecisionOverridesTests {
    @Test func textsNameFlagsAndRules() {
        let overrides = DecisionOverrides(parsing: "checkout=b,search/rule_1=by_sales")
        #expect(
            overrides.decisions == [
                DecisionContext(flag: "checkout"): "b", DecisionContext(flag: "search", rule: "rule_1"): "by_sales",
            ])
        #expect(overrides.problems.isEmpty)
    }

    @Test(
        arguments: [
            ("", 0), (",,", 0), (" checkout = b ", 1), ("a=b,a=c", 1), ("a=b=c", 1), ("a/b/c=d", 1), ("a/=b", 0),
            ("/b=c", 0), ("a=", 0), ("=b", 0), ("a", 0), ("a=b;c=d", 1), ("é🙂=日本", 1),
        ])
    func textsOfAnyFormAreRead(text: String, count: Int) {
        #expect(DecisionOverrides(parsing: text).decisions.count == count)
    }

    @Test func detailsAreKept() {
        #expect(DecisionOverrides(parsing: " checkout = b ").decisions == [DecisionContext(flag: "checkout"): "b"])
        #expect(DecisionOverrides(parsing: "a=b,a=c").decisions == [DecisionContext(flag: "a"): "c"])
        #expect(DecisionOverrides(parsing: "a=b=c").decisions == [DecisionContext(flag: "a"): "b=c"])
        #expect(DecisionOverrides(parsing: "a/b/c=d").decisions == [DecisionContext(flag: "a", rule: "b/c"): "d"])
    }

    @Test(arguments: ["a", "a=", "=b", "/b=c", "a/=b", "a=b,oops"]) func problemsAreReported(text: String) {
        let problems = DecisionOverrides(parsing: text).problems
        #expect(problems.count == 1)
        #expect(problems.first?.contains("is not FLAG=VARIATION") == true)
    }

    @Test func launchArgumentsWinOverTheEnvironment() {
        let overrides = DecisionOverrides(
            environment: "a=1,b=1", arguments: ["--verbose", "--turnout-force", "a=2", "--turnout-force=c=3", "b=9"])
        #expect(
            overrides.decisions == [
                DecisionContext(flag: "a"): "2", DecisionContext(flag: "b"): "1", DecisionContext(flag: "c"): "3",
            ])
        #expect(DecisionOverrides(environment: nil, arguments: []) == .none)
        #expect(DecisionOverrides(environment: nil, arguments: ["--turnout-force"]).problems.count == 1)
    }

    @Test func overridesApplyToAllUsers() async {
        let script = Script(.always("checkout", "a"), .when("unknown", "checkout", "b"), .always("search", "x"))
        let log = MemoryLog()
        let client = FlagClient.scripted(
            script,
            configuration: .quiet {
                $0.overrides = DecisionOverrides(parsing: "checkout=b,search=unknown,gone=x,oops")
                $0.log = log
            })
        var ada = client.user("ada")
        #expect(ada.decide("checkout").variationKey == "b")
        #expect(ada.decideAll()["checkout"]?.variationKey == "b")
        #expect(await ada.decide("checkout", within: .seconds(30)).variationKey == "b")
        #expect(ada.explain("checkout")?.decision.variationKey == "b")
        ada.forcedDecisions[DecisionContext(flag: "checkout")] = "a"
        #expect(ada.decide("checkout").variationKey == "b")
        #expect(ada.decide("search").variationKey == "x")
        #expect(ada.decide("search", options: .includeReasons).reasons.first?.description.contains("search") == true)
        #expect(ada.decide("gone").stage == .flagNotFound)
        #expect(log.entries.filter { $0.message.hasPrefix("overrides:") }.count == 1)
    }

    @Test func overridesWithoutEffectAreReported() throws {
        let log = MemoryLog()
        _ = try ExampleShop.client {
            $0.log = log
            $0.overrides = DecisionOverrides(
                parsing: "nope=x,checkout_redesign=twostep,dark_mode/nope=dark,search_ranking=by_sales")
        }
        let messages = log.entries.filter { $0.message.hasPrefix("override ") }.map(\.message).sorted()
        #expect(
            messages == [
                "override checkout_redesign=twostep does nothing: the flag has no such variation",
                "override dark_mode/nope=dark does nothing: the flag has no such rule",
                "override nope=x does nothing: the datafile has no such flag",
                "override search_ranking=by_sales is active for all users",
            ])
    }
}
