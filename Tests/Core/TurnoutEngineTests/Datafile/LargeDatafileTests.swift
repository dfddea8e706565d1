/// Datafiles of unusual shapes are loaded in linear time.
@Suite struct LargeDatafileTests {
    @Test func flagsMayShareARollout() throws {
        try expectLinearTime("load and warnings") { size in
            let bytes = Self.sharing(flags: size / 25)
            return {
                guard let project = try? Project(datafile: bytes) else { return -1 }
                return project.warnings.count
            }
        }
    }

    /// The result is the same as checking all rules for each flag.
    @Test func valuesInSharedRolloutsAreChecked() throws {
        let project = try Project(datafile: Self.sharing(flags: 3))
        let decisions = project.decideAll(for: User("u")).decisions
        #expect(decisions.map { $0.variables.integer("number") } == [0, 1, nil])
        #expect(project.warnings.map(\.subject) == ["flag \"f2\""])
        let message = project.warnings.first?.message ?? ""
        #expect(message.contains("\"x\" is not a valid integer (variation \"on\" of \"shared\")"))
    }

    @Test func wrongValuesAreListedUpToALimit() throws {
        let rules = (0..<30).map { Self.rule("\($0)", overrides: [#"{"id": "v", "value": "x"}"#]) }
        let flag = SmallDatafile.flag(
            "f", rollout: "R", variables: #"{"id": "v", "key": "number", "type": "integer", "defaultValue": "1"}"#)
        let project = try SmallDatafile(
            rollouts: #"{"id": "R", "experiments": [\#(rules.joined(separator: ","))]}"#, flags: flag
        ).project()
        #expect(project.warnings.count == 11)
        #expect(project.warnings.last?.message == "variable \"number\": 20 more values are not of its type")
    }

    /// The decision for a repeated flag has the reasons of all repetitions, so returning it for each would be
    /// quadratic.
    @Test func repeatedFlagsAreReturnedOnce() throws {
        let flags = Array(repeating: SmallDatafile.flag("same"), count: 50) + [SmallDatafile.flag("other")]
        let project = try SmallDatafile(flags: flags.joined(separator: ",")).project()
        let batch = project.decideAll(for: User("u"), options: .includeReasons)
        #expect(batch.decisions.count == 51)
        #expect(batch.selected.map(\.flagKey) == ["same", "other"])
        #expect(batch.selected.first?.reasons.count == batch.decisions.first?.reasons.count)
        let some = project.decide(["same", "unknown", "same", "unknown"], for: User("u"))
        #expect(some.selected.map(\.flagKey) == ["same", "unknown", "unknown"])
    }

    @Test func usersMayHaveManyAttributes() throws {
        try expectLinearTime("attributes") { size in
            let names = (0..<size).map { "name \($0)" }
            return {
                var attributes = Attributes()
                for name in names { attributes[name] = 1 }
                for name in names.dropLast(10) { attributes[name] = nil }
                return attributes.count
            }
        }
    }

    // MARK: Helpers

    /// Flags with a variable each, which share a rollout whose only variation overrides all of them. The last value is
    /// invalid.
    private static func sharing(flags count: Int) -> [UInt8] {
        let overrides = (0..<count).map { #"{"id": "v\#($0)", "value": "\#($0 == count - 1 ? "x" : "\($0)")"}"# }
        let flags = (0..<count).map {
            SmallDatafile.flag(
                "f\($0)", rollout: "R",
                variables: #"{"id": "v\#($0)", "key": "number", "type": "integer", "defaultValue": "1"}"#)
        }
        let datafile = SmallDatafile(
            rollouts: #"{"id": "R", "experiments": [\#(rule("shared", overrides: overrides))]}"#,
            flags: flags.joined(separator: ","))
        return Array(datafile.text.utf8)
    }

    private static func rule(_ id: String, overrides: [String]) -> String {
        """
        {"id": "\(id)", "key": "\(id)", "layerId": "", "status": "Running", "audienceIds": [], "forcedVariations": {},
         "variations": [
             {"id": "1", "key": "on", "featureEnabled": true, "variables": [\(overrides.joined(separator: ","))]}],
         "trafficAllocation": [{"entityId": "1", "endOfRange": 10000}]}
        """
    }
}
