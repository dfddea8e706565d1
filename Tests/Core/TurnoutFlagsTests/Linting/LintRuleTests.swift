import Testing
import TurnoutFlags

/// For each kind of finding a project that has it, and the same project without the mistake.
@Suite("Each finding has its line, and is missing without its cause")
struct LintRuleTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let code: String
        let line: Int
        /// The members of the project, from the second line on.
        let lines: String
        /// A part of the lines, and what takes its place to correct the mistake.
        let mistake: (wrong: String, right: String)

        /// The environments, in the first line.
        var environments = "{\"production\": {}}"

        init(_ code: String, line: Int, _ lines: String, _ wrong: String, _ right: String) {
            (self.code, self.line, self.lines, mistake) = (code, line, lines, (wrong, right))
        }

        var testDescription: String { code }
        var shows: ProjectText { project { $0 } }
        var isClean: ProjectText { project { $0.replacing(mistake.wrong, with: mistake.right) } }

        private func project(_ corrected: (String) -> String) -> ProjectText {
            let first = "{\"project\": \"shop\", \"environments\": " + corrected(environments)
            return ProjectText(first + ",\n" + corrected(lines) + "}")
        }

        func with(environments: String) -> Example {
            var copy = self
            copy.environments = environments
            return copy
        }
    }

    /// A flag with one rule, which begins in the third line.
    private static func rule(_ rule: String, more: String = "") -> String {
        """
        "attributes": ["plan"], "events": ["buy"], "flags": {"f": {"variations": {"on": {}}, "rules": [
          {\(rule)}]}}\(more)
        """
    }

    /// An audience in the third line.
    private static func audience(_ condition: String) -> String {
        """
        "attributes": ["plan", "age"], "audiences": {
          "a": \(condition)}
        """
    }

    private static let experiment = #""experiment": "e", "split": ["off", "on"], "metrics": ["buy.unique"]"#

    static let examples: [Example] = ruleExamples + audienceExamples + usageExamples

    private static let ruleExamples = [
        Example(
            "allow-list-held-out", line: 3,
            rule(experiment + #", "allow_list": {"on": ["u"]}"#, more: #", "holdouts": {"h": {"traffic": "100%"}}"#),
            "100%", "0%"),
        Example(
            "allow-list-unused", line: 3, rule(experiment + #", "allow_list": {"on": ["u"]}, "status": "paused""#),
            "paused", "running"),
        Example("delivery-redundant", line: 3, rule(#""delivery": "d", "serve": "off""#), #""off""#, #""on""#),
        Example("experiment-ended", line: 3, rule(experiment + #", "status": "archived""#), "archived", "running"),
        Example(
            "experiment-one-variation", line: 3, rule(#""experiment": "e", "split": {"on": 1, "off": 0}"#),
            #""off": 0"#, #""off": 1"#),
        Example(
            "experiment-without-metric", line: 3, rule(#""experiment": "e", "split": ["off", "on"], "metrics": []"#),
            "[]", #"["buy.total"]"#),
        Example(
            "flag-always-off", line: 2, #""flags": {"f": {"variations": {"on": {}}, "else": "off"}}"#, #""off""#,
            #""on""#),
        Example(
            "group-unallocated", line: 5,
            rule(experiment, more: ",\n\"groups\": {\"g\": {\"traffic\": {\n\"f/e\": \"0%\"}}}"), "0%", "50%"),
        Example(
            "not-checked", line: 3, rule(experiment + #", "datafile": {"forcedVariations": {"ada": "on"}}"#),
            #", "datafile": {"forcedVariations": {"ada": "on"}}"#, ""),
        Example(
            "rule-unreachable", line: 4,
            rule(#""experiment": "first", "traffic": "100%", "split": ["on"]},"# + "\n{" + experiment), "100%", "99%"),
        Example(
            "rules-unused", line: 3,
            rule(experiment).replacing("}]}}", with: "}], \"in\": {\"production\": {\"else\": \"on\"}}}}"),
            "{\"production\": {\"else\": \"on\"}}", "{}"),
        Example(
            "traffic-zero", line: 5,
            rule(experiment, more: ",\n\"holdouts\": {\n\"h\": {\"traffic\": \"0%\"}}"), "0%", "1%"),
        Example("traffic-zero", line: 3, rule(experiment + #", "traffic": "0%""#), "0%", "1%"),
        Example(
            "variations-equal", line: 3,
            rule(#""experiment": "e", "split": ["on", "two"], "variations": {"two": {"enabled": true}}"#), "true",
            "false"),
    ]

    private static let audienceExamples = [
        Example(
            "audience-always-met", line: 3,
            audience(#"{"any": [{"plan": {"exists": true}}, {"not": {"plan": {"exists": true}}}]}"#),
            #"{"not": {"plan": {"exists": true}}}"#, #"{"age": {"gt": 1}}"#),
        Example("audience-never-met", line: 3, audience(#"{"age": {"gt": 5, "lt": 4}}"#), "4", "7"),
        Example(
            "attribute-mixed-types", line: 4,
            audience("{\"any\": [{\"plan\": {\"gt\": 5}},\n{\"plan\": {\"semver_lt\": \"5.2\"}}]}"), "{\"plan\": {\"gt",
            "{\"age\": {\"gt"),
        Example(
            "condition-depth", line: 52,
            "\"attributes\": [\"a\"], \"audiences\": {\"a0\": {\"a\": 1},\n"
                + (1...50).map { "\"a\($0)\": {\"not\": \"a\($0 - 1)\"}" }.joined(separator: ",\n") + "}",
            #"{"not": "a30"}"#, #"{"segment": "b"}"#),
        Example(
            "condition-size", line: 14,
            "\"attributes\": [\"a\"], \"audiences\": {\"a0\": {\"a\": 1},\n"
                + (1...12).map { "\"a\($0)\": {\"any\": [\"a\($0 - 1)\", \"a\($0 - 1)\"]}" }.joined(separator: ",\n")
                + "}",
            #"["a8", "a8"]"#, #"["a8"]"#),
        Example(
            "datafile-warning", line: 3,
            audience(
                #"{"datafile": {"name": "plan", "type": "custom_attribute", "match": "like", "value": "b"}}"#),
            "like", "exact"),
    ]

    private static let usageExamples = [
        Example("environment-file-name", line: 2, #""flags": {}"#, "a/b", "a-b").with(environments: "{\n\"a/b\": {}}"),
        Example(
            "unknown-ignored-code", line: 3, "\"ignore\": [\n\"unused-atribute\"]", "atribute", "attribute"),
        Example(
            "unused-attribute", line: 2, #""attributes": ["plan"], "audiences": {"a": {"segment": "b"}}"#,
            #"{"segment": "b"}"#, #"{"plan": "b"}"#),
        Example(
            "unused-audience", line: 3,
            #""audiences": {"# + "\n\"a\": {\"segment\": \"b\"}, \"c\": {\"any\": [{\"segment\": \"a\"}]}}",
            #""c": {"any": [{"segment": "a"}]}}"#,
            #""c": "a"}, "holdouts": {"h": {"traffic": "1%", "audience": "c"}}"#),
        Example(
            "unused-event", line: 2, rule(#""experiment": "e", "split": ["off", "on"], "metrics": []"#),
            #""metrics": []"#, #""metrics": ["buy.unique"]"#),
        Example(
            "unused-variation", line: 2, rule(#""delivery": "d", "serve": "off""#), #""serve": "off""#,
            #""serve": "on""#),
        Example(
            "variable-never-overridden", line: 2,
            #""flags": {"f": {"variables": {"title": "a"}, "variations": {"on": {"variables": {}}}, "else": "on"}}"#,
            #""variables": {}"#, #""variables": {"title": "b"}"#),
    ]

    @Test(arguments: examples) func eachFindingHasItsLine(example: Example) throws {
        let found = try example.shows.findings(try example.shows.compile().lock)
        #expect(found.contains("\(example.line) \(example.code)"), "\(found)")
        let clean = try example.isClean.findings(try example.isClean.compile().lock)
        #expect(!clean.contains { $0.hasSuffix(" \(example.code)") }, "\(clean)")
    }

    /// `key-removed` needs a lock; see `RemovedKeyTests`.
    @Test func everyCodeHasAnExample() {
        #expect(Set(LintRule.all.map(\.code)).subtracting(["key-removed"]) == Set(Self.examples.map(\.code)))
        #expect(LintRule.all.allSatisfy { $0.explanation.hasSuffix(".") && !$0.meaning.hasSuffix(".") })
    }

    // MARK: Ignoring

    @Test(arguments: [
        (#""attributes": {"plan": {"ignore": ["unused-attribute"]}}"#, "unused-attribute"),
        (#""events": {"buy": {"ignore": ["unused-event"]}}"#, "unused-event"),
        (
            rule(
                experiment,
                more: #", "groups": {"g": {"traffic": {"f/e": "0%"}, "ignore": ["group-unallocated"]}}"#),
            "group-unallocated"
        ),
        (
            #""holdouts": {"h": {"traffic": "5%", "audience": {"any": []}, "ignore": ["audience-never-met"]}}"#,
            "audience-never-met"
        ),
    ])
    func findingsOfAllPartsCanBeIgnored(members: String, code: String) throws {
        let text = "{\"project\": \"shop\", \"environments\": {\"production\": {}},\n\(members)}"
        #expect(try !ProjectText(text).findings().contains { $0.contains(code) })
        let other = ProjectText(text.replacing(#""ignore": ["\#(code)"]"#, with: #""ignore": []"#))
        let found = try other.findings()
        #expect(found.contains { $0.hasSuffix(code) && !$0.hasPrefix("-") }, "\(found)")
    }

    @Test func unknownCodesAreSuggested() throws {
        let text = ProjectText(members: #""ignore": ["unused-atribute", "condition-depth", "zzz"]"#)
        let messages = ProjectLint(try text.read(), source: text.source).findings.map(\.message)
        #expect(
            messages == [
                #"there is no finding "unused-atribute""#,
                #""condition-depth" is an error"#, #"there is no finding "zzz""#,
            ])
        let advice = ProjectLint(try text.read(), source: text.source).findings[0].advice
        #expect(advice?.hasPrefix(#"Did you mean "unused-attribute"? No warning"#) == true)
    }
}
