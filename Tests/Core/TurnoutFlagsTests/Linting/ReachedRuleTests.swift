@Suite("Lint does not call a rule unreachable that a user reaches")
struct ReachedRuleTests {
    private static let wide = #""audience": {"plan": ["a", "b"]}"#
    private static let narrow = #""audience": {"plan": "a"}"#
    private static let split = #""split": {"x": 50, "y": 50}"#

    private func findings(_ rules: String, else everyoneElse: String) throws -> [String] {
        let text = ProjectText(
            """
            {"project": "1", "account": "2", "environments": {"a": {"sdk_key": "K"}}, "attributes": ["plan"],
            "events": ["buy"], "audiences": {"named": {"plan": "c"}},
            "flags": {"f": {"variations": {"x": {}, "y": {}}, "rules": [\(rules)], "else": \(everyoneElse)}}}
            """)
        return ProjectLint(try text.read(), source: text.source).findings.map(\.code)
    }

    /// Without `else`, users outside the traffic of a rule before go to the last delivery.
    @Test(arguments: [(#""traffic": "50%","#, true), (#""traffic": "0%","#, true), ("", false)])
    func theLastDeliveryIsForEveryoneElse(traffic: String, isReached: Bool) throws {
        let first = #"{"delivery": "d", "serve": "x", \#(traffic) \#(Self.wide)}"#
        let last = #"{"delivery": "e", "serve": "y", \#(Self.narrow)}"#
        #expect(try !findings("\(first), \(last)", else: "null").contains("rule-unreachable") == isReached)
        #expect(try findings("\(first), \(last)", else: #""off""#).contains("rule-unreachable"))
        // The second of three is reached by no user.
        let three = try findings("\(first), \(last), \(last.replacing(#""e""#, with: #""g""#))", else: "null")
        #expect(three.count { $0 == "rule-unreachable" } == (isReached ? 1 : 2))
        let rollout = #"{"rollout": "r", "split": {"x": 100}, \#(traffic) \#(Self.wide)}"#
        #expect(try !findings("\(rollout), \(last)", else: "null").contains("rule-unreachable") == isReached)
    }

    /// Members of a datafile take the place of what the project says.
    @Test(arguments: [
        ("", "", false), (#""datafile": {"status": "Paused"},"#, "", true),
        (#""datafile": {"variations": []},"#, "", true),
        (#""datafile": {"cmab": {"attributeIds": [], "trafficAllocation": 0}},"#, "", true),
        ("", #""datafile": {"forcedVariations": {"zoe": "x"}},"#, true),
    ])
    func carriedMembersCount(wide: String, narrow: String, isReached: Bool) throws {
        let first = #"{"experiment": "d", \#(Self.split), "metrics": ["buy.unique"], \#(wide) \#(Self.wide)}"#
        let second = #"{"experiment": "e", \#(Self.split), "metrics": ["buy.unique"], \#(narrow) \#(Self.narrow)}"#
        #expect(try !findings("\(first), \(second)", else: #""off""#).contains("rule-unreachable") == isReached)
    }

    /// Without a prediction, the next rule is evaluated.
    @Test func banditsLetUsersPass() throws {
        let bandit = #"{"bandit": "d", "attributes": ["plan"], "split": ["x", "y"], "metrics": ["buy.unique"]}"#
        let next = #"{"experiment": "e", \#(Self.split), "metrics": ["buy.unique"]}"#
        #expect(try !findings("\(bandit), \(next)", else: #""off""#).contains("rule-unreachable"))
    }

    @Test func theRuleForEveryoneElseUsesAudiences() throws {
        let rule = #"{"serve": "y", "datafile": {"audienceIds": ["named"]}}"#
        #expect(try !findings("", else: rule).contains("unused-audience"))
        #expect(try findings("", else: #""y""#).contains("unused-audience"))
    }
}
