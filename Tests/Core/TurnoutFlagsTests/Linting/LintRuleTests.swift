/// For each kind of finding a project that has it, a similar one that must not have it, and what becomes of the project
/// if the advice is followed.
@Suite("Each finding has its line, is missing without its cause, and its advice does no harm")
struct LintRuleTests {
    /// What replaces parts of a project.
    typealias Edit = [(wrong: String, right: String)]

    struct Example: Sendable, CustomTestStringConvertible {
        let code: String
        let line: Int
        /// The members of the project, from the second line on.
        let lines: String
        /// The environments, in the first line.
        var environments = "{\"production\": {}}"
        /// Makes the project that was compiled before.
        var earlier: Edit = []
        /// Makes a project that looks alike.
        var silent: Edit = []
        /// Make what the advice says; `isHarmless` if no decision may change.
        var advice: [(edit: Edit, isHarmless: Bool)] = []

        init(_ code: String, line: Int, _ lines: String) { (self.code, self.line, self.lines) = (code, line, lines) }

        var testDescription: String { "\(code) in \(lines)" }

        func project(_ edit: Edit = []) -> ProjectText {
            func edited(_ text: String) -> String { edit.reduce(text) { $0.replacing($1.wrong, with: $1.right) } }
            let first = "{\"project\": \"shop\", \"environments\": " + edited(environments)
            return ProjectText(first + ",\n" + edited(lines) + "}")
        }

        func with(environments: String) -> Example { with { $0.environments = environments } }

        func after(_ edit: (wrong: String, right: String)...) -> Example { with { $0.earlier = edit } }

        func silent(_ edit: (wrong: String, right: String)...) -> Example { with { $0.silent = edit } }

        func follow(_ edit: (wrong: String, right: String)...) -> Example { with { $0.advice.append((edit, false)) } }

        func remove(_ edit: (wrong: String, right: String)...) -> Example { with { $0.advice.append((edit, true)) } }

        private func with(_ change: (inout Example) -> Void) -> Example {
            var copy = self
            change(&copy)
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
          "a": \(condition)},
          "flags": {"f": {"variations": {"on": {}}, "rules": [\(delivery)]}}
        """
    }

    private static let experiment = #""experiment": "e", "split": ["off", "on"], "metrics": ["buy.unique"]"#
    private static let allowList = #", "allow_list": {"on": ["u"]}"#
    private static let carried = #", "datafile": {"forcedVariations": {"ada": "on"}}"#
    private static let disabled = (#""rules": ["#, #""enabled": false, "rules": ["#)
    private static let withoutRule = ("{\(experiment)}", "")
    private static let delivery = #"{"delivery": "d", "audience": "a", "serve": "on"}"#

    static let examples: [Example] = experimentExamples + ruleExamples + audienceExamples + usageExamples

    private static let experimentExamples = [
        Example(
            "allow-list-held-out", line: 3,
            rule(
                experiment + allowList + #"}, {"delivery": "d", "serve": "on""#,
                more: #", "holdouts": {"h": {"traffic": "100%"}}"#)
        ).silent(disabled).remove((allowList, "")).follow((#""100%""#, #""100%", "rules": ["f/d"]"#)),
        Example("allow-list-unused", line: 3, rule(experiment + allowList + #", "status": "paused""#))
            .silent(disabled).follow(("paused", "running")).remove((allowList, "")),
        Example("experiment-ended", line: 3, rule(experiment + #", "status": "archived""#))
            .silent(("archived", "paused")).remove((#"{\#(experiment), "status": "archived"}"#, "")),
        Example("experiment-one-variation", line: 3, rule(#""experiment": "e", "split": {"on": 1, "off": 0}"#))
            .silent((#""split""#, #""type": "td", "split""#)).follow((#""off": 0"#, #""off": 1"#))
            .remove((#""experiment": "e", "split": {"on": 1, "off": 0}"#, #""delivery": "e", "serve": "on""#)),
        Example(
            "experiment-without-metric", line: 3, rule(#""experiment": "e", "split": ["off", "on"], "metrics": []"#)
        ).silent((#""split""#, #""type": "fr", "split""#)).remove(("[]", #"["buy.total"]"#)),
        Example(
            "group-unallocated", line: 5,
            rule(experiment, more: ",\n\"groups\": {\"g\": {\"traffic\": {\n\"f/e\": \"0%\"}}}")
        ).silent((#""split""#, #""status": "paused", "split""#)).follow(("0%", "50%"))
            .remove(withoutRule, (#""f/e": "0%""#, "")),
        Example(
            "plan-too-long", line: 3, rule(experiment + #", "plan": {"visitors": 40000, "per_day": 300}"#)
        ).silent(("40000", "27000")).follow(("300", "500")).remove(
            (#", "plan": {"visitors": 40000, "per_day": 300}"#, "")),
        Example(
            "plan-without-metric", line: 3,
            rule(#""experiment": "e", "split": ["off", "on"], "plan": {"visitors": 9}, "status": "not_started""#)
        ).silent(("not_started", "archived")).remove((#""plan":"#, #""metrics": ["buy.unique"], "plan":"#)),
        Example("not-checked", line: 3, rule(experiment + carried))
            .silent((carried, carried + #", "ignore": ["not-checked"]"#))
            .remove((carried, #", "allow_list": {"on": ["ada"]}"#)),
        Example("traffic-zero", line: 3, rule(experiment + #", "traffic": "0%""#))
            .silent((#""0%""#, #""0%""# + allowList)).follow(("0%", "1%"))
            .remove((#"{\#(experiment), "traffic": "0%"}"#, "")),
        Example(
            "variations-equal", line: 3,
            """
            "events": ["buy"], "flags": {"f": {"variables": {"size": 1}, "variations": {"on": {}, "two": {}}, "rules": [
              {"experiment": "e", "split": ["off", "on", "two"], "metrics": ["buy.unique"]}]}}
            """
        ).silent((#""variables": {"size": 1}, "#, "")).follow((#"on", "two"]"#, #"on"]"#))
            .follow((#""two": {}"#, #""two": {"variables": {"size": 2}}"#)),
    ]

    private static let ruleExamples = [
        Example("delivery-redundant", line: 3, rule(#""delivery": "d", "serve": "off""#))
            .silent(("}]}}", #"}]}}, "holdouts": {"h": {"traffic": "50%", "rules": ["f/d"]}}"#))
            .remove((#"{"delivery": "d", "serve": "off"}"#, "")).follow((#""off""#, #""on""#)),
        Example("flag-always-off", line: 2, #""flags": {"f": {"variations": {"on": {}}, "else": "off"}}"#)
            .with(environments: #"{"production": {}, "test": {}}"#)
            .silent((#""off""#, #""off", "in": {"test": {"else": "on"}}"#))
            .follow((#""f": {"variations": {"on": {}}, "else": "off"}"#, "")),
        Example(
            "rule-unreachable", line: 4,
            rule(#""experiment": "first", "traffic": "100%", "split": ["on"]},"# + "\n{" + experiment)
        ).silent((#""100%""#, #""100%", "audience": {"plan": "a"}"#)).follow(("100%", "99%"))
            .remove((",\n{\(experiment)}", "")),
        Example(
            "rule-unreachable", line: 4,
            rule(#""delivery": "d", "serve": "on""#, more: ", \"holdouts\": {\n\"h\": {\"traffic\": \"100%\"}}")
        ).silent(("100%", "99%")).follow((#""h": {"traffic": "100%"}"#, "")),
        // An environment that is turned off for a while has the shared rules.
        Example(
            "rules-unused", line: 3,
            rule(experiment).replacing("}]}}", with: #"}], "in": {"production": {"rules": []}}}}"#)
        ).silent((#"{"rules": []}"#, #"{"enabled": false, "else": "on"}"#)).follow((#"{"rules": []}"#, "{}"))
            .remove(withoutRule),
        Example("traffic-zero", line: 4, rule(experiment, more: ", \"holdouts\": {\n\"h\": {\"traffic\": \"0%\"}}"))
            .silent((#""0%""#, #""0%", "status": "concluded""#)).remove((#""h": {"traffic": "0%"}"#, "")),
        Example(
            "traffic-zero", line: 3,
            rule(#""delivery": "d", "serve": "on", "traffic": "0%"}, {"delivery": "e", "serve": "on""#)
        ).silent((#""0%""#, #""0%", "enabled": false"#)).follow(("0%", "1%")),
    ]

    private static let audienceExamples = [
        Example(
            "audience-always-met", line: 3,
            audience(#"{"any": [{"plan": {"exists": true}}, {"not": {"plan": {"exists": true}}}]}"#)
        ).silent((#"{"exists": true}"#, #""x""#)).follow((#"{"not": {"plan""#, #"{"not": {"age""#))
            .remove(
                (#""a": {"any": [{"plan": {"exists": true}}, {"not": {"plan": {"exists": true}}}]}"#, ""),
                (delivery, #"{"delivery": "d", "serve": "on"}"#)),
        Example("audience-never-met", line: 3, audience(#"{"age": {"gt": 5, "lt": 4}}"#))
            .silent((#"{"age": {"gt": 5, "lt": 4}}"#, #"{"any": [{"age": {"gt": 5}}, {"age": {"lt": 4}}]}"#))
            .follow(("4", "7"))
            .remove(
                (#""a": {"age": {"gt": 5, "lt": 4}}"#, ""), (delivery, "")),
        Example(
            "attribute-mixed-types", line: 4,
            audience("{\"any\": [{\"plan\": {\"gt\": 5}},\n{\"plan\": {\"semver_lt\": \"5.2\"}}]}")
        ).silent((#"{"gt": 5}"#, #""beta""#)).follow((#"{"gt": 5}"#, #"{"semver_gt": "6"}"#)),
        Example(
            "condition-depth", line: 52,
            "\"attributes\": [\"a\"], \"audiences\": {\"a0\": {\"a\": 1},\n"
                + (1...50).map { "\"a\($0)\": {\"not\": \"a\($0 - 1)\"}" }.joined(separator: ",\n") + "}"
        ).silent((#"{"not": "a48"}"#, #"{"segment": "b"}"#)).follow((#"{"not": "a30"}"#, #"{"segment": "b"}"#)),
        Example(
            "condition-size", line: 14,
            "\"attributes\": [\"a\"], \"audiences\": {\"a0\": {\"a\": 1},\n"
                + (1...12).map { "\"a\($0)\": {\"any\": [\"a\($0 - 1)\", \"a\($0 - 1)\"]}" }.joined(separator: ",\n")
                + "}"
        ).silent((#"["a11", "a11"]"#, #"["a11"]"#)).follow((#"["a8", "a8"]"#, #"["a8"]"#)),
        Example(
            "datafile-warning", line: 3,
            audience(#"{"datafile": {"name": "plan", "type": "custom_attribute", "match": "like", "value": "b"}}"#)
        ).silent(("like", "substring")).follow(("like", "exact")),
    ]

    private static let usageExamples = [
        Example("environment-file-name", line: 2, #""flags": {}"#).with(environments: "{\n\"a/b\": {}}")
            .silent(("a/b", "a b")).follow(("a/b", "a-b")),
        Example("key-removed", line: 3, "\"flags\": {\n\"g\": {\"variations\": {\"on\": {}}, \"else\": \"on\"}}")
            .after((#""g""#, #""f""#)).silent((#""g""#, #""f""#)).remove((#""g": {"#, #""g": {"was": "f", "#)),
        Example("unknown-ignored-code", line: 3, "\"ignore\": [\n\"unused-atribute\"]")
            .silent(("unused-atribute", "unused-event")).follow(("atribute", "attribute")),
        Example("unused-attribute", line: 2, #""attributes": ["plan"], "audiences": {"a": {"segment": "b"}}"#)
            .silent((#"{"segment": "b"}"#, #"{"not": {"plan": "b"}}"#)).follow((#"["plan"]"#, "[]")),
        Example("unused-audience", line: 3, "\"audiences\": {\n\"a\": {\"segment\": \"b\"}}")
            .silent(
                (#""b"}}"#, #""b"}, "c": {"not": "a"}}, "holdouts": {"h": {"traffic": "1%", "audience": "c"}}"#)
            ).follow((#""a": {"segment": "b"}"#, "")),
        Example(
            "unused-event", line: 2, rule(#""experiment": "e", "split": ["off", "on"], "metrics": []"#)
        ).silent((#""flags""#, #""segments": {"define": {"s": {"rule": {"event": "buy"}}}}, "flags""#))
            .remove((#"["buy"]"#, "[]")),
        Example(
            "unused-metric", line: 4,
            rule(experiment, more: ", \"metrics\": {\n\"spent\": {\"event\": \"buy\", \"count\": \"revenue\"}}")
        ).silent(("buy.unique", "spent")).follow(("buy.unique\"", "buy.unique\", \"spent\""))
            .remove((#""spent": {"event": "buy", "count": "revenue"}"#, "")),
        Example("unused-variation", line: 2, rule(#""delivery": "d", "serve": "off""#))
            .with(environments: #"{"production": {}, "test": {}}"#)
            .silent(("}]}}", #"}], "in": {"test": {"rules": [{"delivery": "d", "serve": "on"}]}}}}"#))
            .remove((#""on": {}"#, "")).follow((#""serve": "off""#, #""serve": "on""#)),
        Example(
            "variable-never-overridden", line: 2,
            #""flags": {"f": {"variables": {"title": "a"}, "variations": {"on": {"variables": {}}}, "else": "on"}}"#
        ).silent(
            (
                #""else": "on""#,
                #""rules": [{"delivery": "d", "serve": "on", "variations": {"on": {"variables": {"title": "b"}}}}]"#
            )
        ).follow((#""variables": {}"#, #""variables": {"title": "b"}"#)).remove(
            (#""variables": {"title": "a"}, "#, "")),
    ]

    private func findings(_ text: ProjectText, _ lock: LockFile) throws -> [Diagnostic] {
        ProjectLint(try text.read(), lock: lock, source: text.source).findings
    }

    @Test(arguments: examples) func aFindingHasItsLineAndItsAdviceDoesNoHarm(example: Example) throws {
        let text = example.project()
        let before = try text.compile(example.earlier.isEmpty ? LockFile() : example.project(example.earlier).lock())
        let lock = example.earlier.isEmpty ? before.lock : try example.project(example.earlier).lock()
        let found = try findings(text, lock)
        #expect(
            found.contains { $0.code == example.code && $0.position?.line == example.line },
            "\(found.map { $0.text(in: "f") })")
        for (edit, isHarmless) in [(example.silent, false)] + example.advice {
            let edited = example.project(edit)
            let remaining = try findings(edited, lock)
            let more = remaining.filter { finding in
                finding.severity > .note && !found.contains { $0.code == finding.code }
            }
            #expect(!remaining.contains { $0.code == example.code }, "\(remaining.map { $0.text(in: "f") }), \(edit)")
            #expect(more.isEmpty, "\(more.map { $0.text(in: "f") }), \(edit)")
            guard isHarmless else { continue }
            #expect(try decisions(edited.compile(lock)) == decisions(before), "\(edit)")
        }
    }

    /// What users get of the flags in all environments.
    private func decisions(_ compiled: CompiledProject) throws -> [String] {
        try compiled.datafiles.flatMap { datafile -> [String] in
            let project = try Project(datafile: datafile.bytes)
            return (0..<200).flatMap { number in
                let plan: AttributeValue = number.isMultiple(of: 2) ? "a" : "x"
                let user = User(number == 0 ? "u" : "user \(number)", attributes: ["plan": plan, "age": 30])
                return project.decideAll(for: user).selected.map {
                    "\(datafile.environment) \($0.flagKey) \($0.variationKey ?? "none") \($0.isEnabled)"
                }
            }
        }
    }

    @Test func everyCodeHasAnExample() {
        #expect(Set(LintRule.all.map(\.code)) == Set(Self.examples.map(\.code)))
        #expect(Self.examples.allSatisfy { !$0.silent.isEmpty && !$0.advice.isEmpty })
        #expect(LintRule.all.allSatisfy { $0.explanation.hasSuffix(".") && !$0.meaning.hasSuffix(".") })
    }

    // MARK: Ignoring

    @Test(arguments: [
        (#""attributes": {"plan": {"ignore": ["unused-attribute"]}}"#, "unused-attribute"),
        (#""events": {"buy": {"ignore": ["unused-event"]}}"#, "unused-event"),
        (
            rule(experiment, more: #", "groups": {"g": {"traffic": {"f/e": "0%"}, "ignore": ["group-unallocated"]}}"#),
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
