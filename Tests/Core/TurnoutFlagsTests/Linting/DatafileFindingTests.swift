import TestSupport
import Testing
import TurnoutEngine
import TurnoutFlags

@Suite("Lint finds what does not compile, and what the engine warns of")
struct DatafileFindingTests {
    private func findings(audiences: [String], more: String = "") throws -> [Diagnostic] {
        let text = """
            {
              "project": "p", "environments": {"production": {}, "development": {}}, "attributes": ["a"], \(more)
              "audiences": {
                \(audiences.joined(separator: ",\n    "))
              }
            }
            """
        let source = SourceFile(name: "flags.json", bytes: Array(text.utf8))
        let project = try ProjectReader.read(try Node(json: source), in: source)
        return ProjectLint(project, source: source).findings
    }

    @Test func conditionsThatGrowTooLargeAreErrors() throws {
        let audiences = (1...13).map { #""a\#($0)": {"any": ["a\#($0 - 1)", "a\#($0 - 1)"]}"# }
        let errors = try findings(audiences: [#""a0": {"a": 1}"#] + audiences).filter { $0.severity == .error }
        #expect(errors.map(\.code) == ["condition-size", "condition-size"])
        #expect(errors.map(\.position?.line) == [16, 17])
        #expect(errors.allSatisfy { $0.advice == LintRule.all.first { $0.code == "condition-size" }?.explanation })
    }

    @Test func conditionsThatGrowTooDeepAreErrors() throws {
        let audiences = (1...50).map { #""a\#($0)": {"not": "a\#($0 - 1)"}"# }
        let errors = try findings(audiences: [#""a0": {"a": 1}"#] + audiences).filter { $0.severity == .error }
        #expect(errors.map(\.code) == ["condition-depth"])
        #expect(errors.map(\.position?.line) == [54])
        // An error cannot be ignored.
        let ignored = try findings(
            audiences: [#""a0": {"a": 1}"#] + audiences, more: #""ignore": ["condition-depth"],"#)
        #expect(ignored.contains { $0.code == "condition-depth" })
    }

    private let unknownMatch =
        #"{"datafile": {"name": "a", "type": "custom_attribute", "match": "sounds_like", "value": "b"}}"#

    @Test func warningsOfCompiledDatafilesHaveTheLineOfTheirPart() throws {
        let warnings = try findings(audiences: [#""new": \#(unknownMatch)"#]).filter { $0.code == "datafile-warning" }
        #expect(warnings.map(\.severity) == [.warning])
        #expect(warnings.map(\.position?.line) == [4])
        #expect(
            warnings.map(\.message) == [
                #"audience "new": has a condition of the unknown match type "sounds_like", which is never met "#
                    + "(production, development)"
            ])
    }

    @Test func warningsOfCompiledDatafilesCanBeIgnored() throws {
        let audience = #""new": {"condition": \#(unknownMatch), "ignore": ["datafile-warning"]}"#
        #expect(try !findings(audiences: [audience]).contains { $0.code == "datafile-warning" })
        let project = try findings(audiences: [#""new": \#(unknownMatch)"#], more: #""ignore": ["datafile-warning"],"#)
        #expect(!project.contains { $0.code == "datafile-warning" })
    }

    @Test func datafilesHaveTheWarningsOfTheEngine() throws {
        let bytes = Array(
            """
            {"version": "4", "projectId": "1", "accountId": "2", "revision": "3", "experiments": [], "groups": [],
             "anonymizeIP": true, "rollouts": [], "audiences": [], "attributes": [], "events": [],
             "featureFlags": [{"id": "5", "key": "f", "experimentIds": ["17"], "rolloutId": "", "variables": []}]}
            """.utf8)
        let imported = try DatafileImport(bytes)
        let datafile = try Project(datafile: bytes)
        let findings = ProjectLint(imported.project, lock: imported.lock, datafile: datafile).findings
        #expect(
            findings.filter { $0.code == "datafile-warning" }.map(\.message) == [
                #"flag "f": names experiment 17, which does not exist; it is skipped"#
            ])
    }

    @Test func onlyMembersOfDatafilesCauseWarnings() {
        for seed in 0..<UInt64(rounds(20, thorough: 300)) {
            let project = RandomProject.project(seed: seed, hasVerbatim: false)
            let warnings = ProjectLint(project).findings.filter { $0.code == "datafile-warning" }
            #expect(warnings.map(\.message) == [], "seed \(seed)")
        }
    }
}
