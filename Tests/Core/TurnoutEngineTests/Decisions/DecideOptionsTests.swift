@Suite struct DecideOptionsTests {
    @Test func reasonsAreReportedOnRequestAndErrorsAlways() throws {
        let project = try Self.project()
        #expect(project.decide("on", for: User("u")).reasons.isEmpty)
        #expect(
            project.decide("on", for: User("u"), options: .includeReasons).reasons
                == [.inExperiment(variation: "1a", experiment: "rule1", user: "u")])
        #expect(project.decide("unknown", for: User("u")).reasons == [.flagNotFound(flag: "unknown")])
        #expect(project.decide("broken", for: User("u")).reasons == [.invalidVariable(variable: "count")])
        #expect(
            project.decide("broken", for: User("u"), options: .includeReasons).reasons == [
                .invalidVariable(variable: "count"), .noExperiments(flag: "broken"), .noRollout(flag: "broken"),
            ])
        #expect(Decision.notReady("any").reasons.map(\.description) == ["Optimizely SDK not configured properly yet."])
    }

    @Test func excludedVariablesAreNotEvenRead() throws {
        let project = try Self.project()
        #expect(project.decide("on", for: User("u")).variables.string("text") == "default")
        let bare = project.decide("on", for: User("u"), options: .excludeVariables)
        #expect(bare.variables.all.isEmpty && bare.variables["text"] == nil)
        #expect(bare.notification?.variables.all.isEmpty == true)
        #expect(project.decide("broken", for: User("u"), options: .excludeVariables).reasons.isEmpty)
    }

    @Test(arguments: ["", "On", "on ", "unknown"]) func unknownFlagsAreErrors(key: String) throws {
        let decision = try Self.project().decide(key, for: User("u"))
        #expect(decision.stage == .flagNotFound && decision.isError && !decision.isEnabled)
        #expect(decision.flagKey == key)
        #expect(decision.variationKey == nil && decision.ruleKey == nil && decision.flag == nil)
        #expect(decision.variables.all.isEmpty)
        #expect(decision.impression == nil && decision.notification == nil)
        #expect(decision.reasons.map(\.description) == ["No flag was found for key \"\(key)\"."])
    }

    /// A variable of `broken` is not a number.
    private static func project() throws -> Project {
        let text = #"{"id": "v", "key": "text", "type": "string", "defaultValue": "default"}"#
        let count = #"{"id": "n", "key": "count", "type": "integer", "defaultValue": "many"}"#
        return try SmallDatafile(
            experiments: SmallDatafile.rule("1") { $0.variations = [("1a", true), ("1b", true)] },
            flags: SmallDatafile.flag("on", experiments: ["1"], variables: text) + ","
                + SmallDatafile.flag("broken", variables: count)
        ).project()
    }
}
