import Testing
import TurnoutEngine

@Suite struct DecideOptionsTests {
    @Test func optionsHaveTheirNamesAndBits() {
        #expect(DecideOptions.named.count == 8)
        #expect(Set(DecideOptions.named.map(\.key)).count == 8)
        #expect(DecideOptions(DecideOptions.named.map(\.value)).rawValue == 0xFF)
        #expect(DecideOptions.named.allSatisfy { $0.value.rawValue.nonzeroBitCount == 1 })
    }

    @Test func disabledEventsAreNeitherSentNorAnnounced() throws {
        let project = try Self.project()
        let decision = project.decide("on", for: User("u"))
        #expect(decision.impression != nil)
        #expect(decision.notification?.isEventDispatched == true)
        let silent = project.decide("on", for: User("u"), options: .disableDecisionEvent)
        #expect(silent.impression == nil)
        #expect(silent.notification?.isEventDispatched == false)
        #expect(silent.variationKey == decision.variationKey)
        #expect(silent.assignment?.variationID == "11")
    }

    @Test func singleDecisionsAreReturnedEvenIfTheyAreOff() throws {
        let decision = try Self.project().decide("off", for: User("u"), options: .enabledFlagsOnly)
        #expect(decision.variationKey == "3a" && !decision.isEnabled)
    }

    @Test func enabledFlagsOnlyFiltersSeveralDecisions() throws {
        let project = try Self.project()
        let keys = ["off", "unknown", "on", "none"]
        let all = project.decide(keys, for: User("u"))
        #expect(all.selected.map(\.flagKey) == keys)
        let enabled = project.decide(keys, for: User("u"), options: .enabledFlagsOnly)
        // Unknown flags are returned, so that callers notice their mistake. Events are due for all.
        #expect(enabled.selected.map(\.flagKey) == ["unknown", "on"])
        #expect(enabled.decisions.map(\.flagKey) == keys)
        #expect(enabled.assignments == ["1": "11", "3": "31"])
    }

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

    @Test func ignoredProfilesAreNeitherReadNorWritten() throws {
        let project = try Self.project()
        let profile = UserProfile(["1": "12"])
        #expect(project.decide("on", for: User("u"), profile: profile).stage == .storedAssignment)
        let fresh = project.decide("on", for: User("u"), profile: profile, options: .ignoreUserProfileService)
        #expect(fresh.stage == .bucketed && fresh.assignment == nil)
        let batch = project.decideAll(for: User("u"), profile: profile, options: .ignoreUserProfileService)
        #expect(batch.assignments.isEmpty)
    }

    @Test func aDecisionContainsTheOptionsOfItsCall() throws {
        let options: DecideOptions = [.includeReasons, .ignoreCmabCache]
        #expect(try Self.project().decide("on", for: User("u"), options: options).options == options)
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

    /// `on` and `off` have that state, `none` has no rules, and a variable of `broken` is not a number.
    private static func project() throws -> Project {
        let on = SmallDatafile.rule("1") { $0.variations = [("1a", true), ("1b", true)] }
        let off = SmallDatafile.rule("3") { $0.variations = [("3a", false)] }
        let text = #"{"id": "v", "key": "text", "type": "string", "defaultValue": "default"}"#
        let count = #"{"id": "n", "key": "count", "type": "integer", "defaultValue": "many"}"#
        return try SmallDatafile(
            experiments: on + "," + off,
            flags: [
                SmallDatafile.flag("on", experiments: ["1"], variables: text),
                SmallDatafile.flag("off", experiments: ["3"]),
                SmallDatafile.flag("none"), SmallDatafile.flag("broken", variables: count),
            ].joined(separator: ",")
        ).project()
    }
}
