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
        for seed in 0..<UInt64(rounds(10, thorough: 200)) {
            let project = RandomProject.project(seed: seed, hasVerbatim: false)
            let warnings = ProjectLint(project).findings.filter { $0.code == "datafile-warning" }
            #expect(warnings.map(\.message) == [], "seed \(seed)")
        }
    }

    // MARK: What only a datafile spells

    /// A datafile with an experiment `17` of the flag `f`, and a condition that is not checked.
    private func findings(events: String, flags: String = "", audienceIDs: String = #"["or", "81"]"#) throws -> [String]
    {
        let variations = """
            [{"id": "71", "key": "on", "featureEnabled": true, "variables": []},
             {"id": "72", "key": "off", "featureEnabled": false, "variables": []}]
            """
        let bytes = Array(
            """
            {"version": "4", "projectId": "1", "accountId": "2", "revision": "3", "groups": [], "anonymizeIP": true,
             "attributes": [{"id": "61", "key": "plan"}], "events": \(events),
             "audiences": [{"id": "81", "name": "old", "conditions":
               ["or", {"name": "plan", "type": "custom_attribute", "match": "new", "value": 1}]}],
             "experiments": [{"id": "17", "key": "e", "layerId": "18", "status": "Running",
               "variations": \(variations),
               "audienceIds": ["81"], "audienceConditions": \(audienceIDs), "forcedVariations": {},
               "trafficAllocation": [
                 {"entityId": "71", "endOfRange": 5000}, {"entityId": "72", "endOfRange": 10000}]}],
             "rollouts": [],
             "featureFlags": [{"id": "5", "key": "f", "experimentIds": ["17"], "rolloutId": "", "variables": []}
               \(flags)]}
            """.utf8)
        let imported = try DatafileImport(bytes)
        let lint = ProjectLint(imported.project, lock: imported.lock, datafile: try Project(datafile: bytes))
        return lint.findings.map(\.code).filter { $0 != "datafile-warning" }
    }

    @Test func eventsOfADatafileNameTheExperimentsThatTheyMeasure() throws {
        let event = #"{"id": "91", "key": "buy", "experimentIds": ["17"]}"#
        #expect(try findings(events: "[\(event)]") == ["not-checked"])
        #expect(
            Set(try findings(events: "[\(event.replacing("17", with: ""))]".replacing(#"[""]"#, with: "[]")))
                == ["unused-event", "experiment-without-metric", "not-checked"])
    }

    /// Two flags have the same experiment, so the second carries its id.
    @Test func flagsThatShareAnExperimentAreNotAlwaysOff() throws {
        let event = #"[{"id": "91", "key": "buy", "experimentIds": ["17"]}]"#
        let flag = #", {"id": "6", "key": "g", "experimentIds": ["17"], "rolloutId": "", "variables": []}"#
        #expect(try findings(events: event, flags: flag) == ["not-checked", "not-checked"])
        let other = #", {"id": "6", "key": "g", "experimentIds": [], "rolloutId": "", "variables": []}"#
        #expect(try findings(events: event, flags: other) == ["flag-always-off", "not-checked"])
    }

    @Test func audiencesInCarriedConditionsAreUsed() throws {
        let event = #"[{"id": "91", "key": "buy", "experimentIds": ["17"]}]"#
        #expect(try findings(events: event, audienceIDs: #"["xor", "81"]"#) == ["not-checked", "not-checked"])
    }
}
