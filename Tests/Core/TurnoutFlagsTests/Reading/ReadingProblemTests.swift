import Foundation

@Suite struct ReadingProblemTests {
    /// A part of a project with one mistake, and what is reported of it.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let json: String
        let report: String

        init(_ json: String, _ report: String) {
            self.json = json
            self.report = report
        }

        var testDescription: String { report }
    }

    /// A paragraph for each mistake, and one that is too deep for a file.
    static let mistakes: [Mistake] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/mistakes.txt")
        let text = (try? String(contentsOfFile: file.path, encoding: .utf8)) ?? ""
        let deep = String(repeating: #"{"not": "#, count: 150) + #"{"plan": 1}"# + String(repeating: "}", count: 151)
        return text.split(separator: "\n\n").map { $0.split(separator: "\n").map(String.init) }
            .filter { $0.count == 2 }.map { Mistake($0[0], $0[1]) } + [
                Mistake(
                    #""audiences": {"a": "# + deep,
                    "f:2:820: error: conditions are nested more than 100 levels deep; give a part of it a name as "
                        + "an audience [too-deep]")
            ]
    }()

    /// A project with the members that a mistake replaces.
    static func project(_ members: String) -> String {
        let given = ["project", "environments", "attributes", "events"].filter { members.hasPrefix("\"\($0)\"") }
        let standard = [
            ("project", #""shop""#), ("environments", #"{"production": {}, "development": {}}"#),
            ("attributes", #"["plan", "age"]"#), ("events", #"["purchase"]"#),
        ]
        let others = standard.filter { !given.contains($0.0) }.map { "\"\($0)\": \($1)" }
        return "{\(others.joined(separator: ", ")),\n\(members)}"
    }

    @Test(arguments: mistakes) func eachMistakeIsReportedOnceAndExplained(mistake: Mistake) {
        let found = problems(Self.project(mistake.json))
        #expect(found == [mistake.report])
    }

    @Test func everyCodeIsTested() {
        let tested = Set(Self.mistakes.compactMap { $0.report.split(separator: "[").last?.dropLast() })
        let untested = ReadingProblem.allCases.map(\.rawValue).filter { !tested.contains($0[...]) }
        // FormerKeyTests has a project with such environments.
        #expect(untested == ["similar-environments", "too-many"])
        #expect(ReadingProblem.allCases.allSatisfy { !$0.meaning.hasSuffix(".") })
    }

    @Test func allProblemsOfAFileAreReportedInTheirOrder() {
        let found = problems(
            """
            {
              "project": "shop",
              "environments": {"production": {}, "production": {}},
              "attributes": ["plan", "age"],
              "events": ["purchase"],
              "audiences": {"paying": {"paln": "premium"}, "adult": {"age": {"ge": "18"}}},
              "flags": {
                "checkout": {
                  "variables": {"retries": 3},
                  "variations": {"on": {"variables": {"retries": 3.5}}},
                  "rules": [
                    {"delivery": "new_app", "serve": "onn"},
                    {"experiment": "ab", "tarffic": "50%", "audience": "payng", "split": {"on": 0}},
                    {"delivery": "late", "serve": "on", "traffic": 5}
                  ]
                }
              }
            }
            """)
        #expect(
            found == [
                #"f:3:38: error: duplicate key "production"; it is already in line 3 [duplicate-key]"#,
                #"f:6:28: error: unknown attribute "paln". Did you mean "plan"? [unknown-attribute]"#,
                #"f:6:72: error: expected a number for "ge", found "18"; write it without quotes [wrong-type]"#,
                #"f:10:54: error: expected an integer for "retries", found 3.5 [wrong-type]"#,
                #"f:12:42: error: unknown variation "onn". Did you mean "on"? [unknown-variation]"#,
                #"f:13:10: error: the experiment "ab" comes after a delivery, but is evaluated before it; "#
                    + "move it before the delivery in line 12 [rule-order]",
                #"f:13:30: error: unknown key "tarffic" in an experiment. Did you mean "traffic"? [unknown-key]"#,
                #"f:13:60: error: unknown audience "payng". Did you mean "paying"? [unknown-audience]"#,
                #"f:13:69: error: all weights of the split are zero [weight]"#,
                #"f:14:56: error: expected a percentage for "traffic", found 5; write 5% [percentage]"#,
            ])
    }

    @Test func misspeltKeysAtTheTopAreReportedOnceEach() {
        let found = problems(
            """
            {"projct": "shop", "enviroments": {"production": {}}, "atributes": ["plan"], "evnts": ["buy"],
             "audience": {"paying": {"plan": "premium"}}, "flag": {"checkout": {"rules": [
               {"experiment": "test", "audience": "paying", "split": ["off"], "metrics": ["buy.unique"]}
             ]}}, "group": {}, "holdout": {"all": {"traffic": "5%", "environments": ["production"]}}}
            """)
        #expect(found.count == 8)
        #expect(found.allSatisfy { $0.contains("unknown key") && $0.contains("Did you mean") })
    }

    @Test func problemsAreLimited() {
        let keys = (0..<5_000).map { "\"k\($0)\": 1" }.joined(separator: ", ")
        let found = problems(Self.project(keys))
        #expect(found.count == 1_001)
        #expect(found.last?.hasSuffix("error: and 4000 more problems, which are not listed [too-many]") == true)
    }

    private func problems(_ json: String) -> [String] {
        do throws(Diagnostics) {
            _ = try AuthoredProject.read(json: json)
            return []
        } catch { return error.all.map { $0.text(in: "f") } }
    }
}
