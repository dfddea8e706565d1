@Suite struct VariablesTests {
    @Test func eachTypeHasItsGetter() throws {
        let variables = try Self.variables([
            ("s", "string", "text"), ("i", "integer", "-7"), ("d", "double", "1.5"), ("b", "boolean", "true"),
            ("j", "json", #"{"a": [1, 2.0, null]}"#), ("o", "date", "2026-01-01"),
        ])
        #expect(variables.string("s") == "text")
        #expect(variables.integer("i") == -7)
        #expect(variables.double("d") == 1.5)
        #expect(variables.boolean("b") == true)
        #expect(variables.json("j") == ["a": .array([.integer(1), .double(2), .null])])
        #expect(variables.string("o") == "2026-01-01", "unknown types are kept as text")
        #expect(variables.all.map(\.key) == ["s", "i", "d", "b", "j", "o"])
    }

    /// A flag with an empty rollout, before two flags that share the next one.
    @Test func valuesOfASharedRolloutAreChecked() throws {
        let override = #"[{"id": "1", "value": "1e400"}]"#
        let rule = SmallDatafile.rule("10").replacing(
            #""featureEnabled": true"#, with: #""featureEnabled": true, "variables": \#(override)"#)
        let project = try SmallDatafile(
            rollouts: SmallDatafile.rollout("ra") + "," + SmallDatafile.rollout("r", rule),
            flags: [("a", "ra", "9", "integer"), ("f", "r", "1", "double"), ("g", "r", "1", "integer")].map {
                SmallDatafile.flag(
                    $0, rollout: $1, variables: #"{"id": "\#($2)", "key": "v", "type": "\#($3)", "defaultValue": "1"}"#)
            }.joined(separator: ",")
        ).project()
        let double = project.decide("f", for: User("u"))
        #expect(double.reasons == [.invalidVariables] && double.variables["v"] == nil)
        #expect(project.decide("g", for: User("u")).reasons == [.invalidVariable(variable: "v")])
        #expect(project.decide("a", for: User("u")).reasons.isEmpty)
    }

    @Test func gettersReturnNilForOtherTypesAndKeys() throws {
        let variables = try Self.variables([("s", "string", "5"), ("i", "integer", "5"), ("d", "double", "5")])
        #expect(variables.integer("s") == nil && variables.double("s") == nil && variables.boolean("s") == nil)
        #expect(variables.string("i") == nil && variables.double("i") == nil && variables.json("i") == nil)
        #expect(variables.integer("d") == nil)
        #expect(variables["missing"] == nil && variables.string("") == nil && variables.string("S") == nil)
    }

    /// Only a string of subtype json is json.
    @Test(arguments: [
        ("string", "json", "json"), ("string", "xml", "string"), ("integer", "json", "integer"), ("json", "", "json"),
    ])
    func subtypesMakeStringsJSON(type: String, subType: String, expected: String) throws {
        let variable = #"{"id": "v", "key": "k", "type": "\#(type)", "subType": "\#(subType)", "defaultValue": "{}"}"#
        let project = try SmallDatafile(flags: SmallDatafile.flag("flag", variables: variable)).project()
        #expect(project.flag("flag")?.variables.first?.typeName == expected)
    }

    @Test func missingDefaultsAreEmptyTexts() throws {
        let variables =
            #"{"id": "1", "key": "s", "type": "string"}, "#
            + #"{"id": "2", "key": "i", "type": "integer", "defaultValue": null}"#
        let decision = try SmallDatafile(flags: SmallDatafile.flag("flag", variables: variables)).project()
            .decide("flag", for: User("u"))
        #expect(decision.variables.string("s") == "")
        #expect(decision.variables.all.map(\.key) == ["s"])
        #expect(decision.reasons == [.invalidVariable(variable: "i")])
    }

    @Test func valuesOfAnotherTypeAreLeftOutAndReported() throws {
        let decision = try Self.decision([("i", "integer", "x"), ("s", "string", "kept"), ("b", "boolean", "1")])
        #expect(decision.variables.all.map(\.key) == ["s"])
        #expect(decision.reasons == [.invalidVariable(variable: "i"), .invalidVariable(variable: "b")])
    }

    @Test(arguments: ["nan", "inf", "-Infinity", "1e400"]) func oneInvalidJSONValueEmptiesAll(text: String)
        throws
    {
        let decision = try Self.decision([("d", "double", text), ("s", "string", "kept")])
        #expect(decision.variables.all.isEmpty && decision.variables["s"] == nil)
        #expect(decision.reasons == [.invalidVariables])
        #expect(decision.notification?.variables.all.map(\.key) == ["d", "s"])
    }

    // MARK: Overrides

    @Test(arguments: [(true, "override"), (false, "default")]) func overridesApplyWhileTheVariationIsOn(
        isEnabled: Bool, expected: String
    ) throws {
        let decision = try Self.overridden(isEnabled: isEnabled, id: "v", value: "override")
        #expect(decision.isEnabled == isEnabled)
        #expect(decision.variables.string("text") == expected)
    }

    @Test func overridesAreMatchedByID() throws {
        #expect(try Self.overridden(isEnabled: true, id: "text", value: "x").variables.string("text") == "default")
    }

    @Test func invalidOverridesAreReportedOnlyIfTheyApply() throws {
        let on = try Self.overridden(isEnabled: true, id: "n", value: "xx")
        #expect(on.variables["count"] == nil)
        #expect(on.reasons == [.invalidVariable(variable: "count")])
        let off = try Self.overridden(isEnabled: false, id: "n", value: "xx")
        #expect(off.variables.integer("count") == 3)
        #expect(off.reasons.isEmpty)
    }

    // MARK: Helpers

    private static func overridden(isEnabled: Bool, id: String, value: String) throws -> Decision {
        let rule = SmallDatafile.rule("1") { $0.variations = [("a", isEnabled)] }.replacing(
            #""featureEnabled": \#(isEnabled)"#,
            with: #""featureEnabled": \#(isEnabled), "variables": [{"id": "\#(id)", "value": "\#(value)"}]"#)
        let variables = #"""
            {"id": "v", "key": "text", "type": "string", "defaultValue": "default"},
            {"id": "n", "key": "count", "type": "integer", "defaultValue": "3"}
            """#
        return try SmallDatafile(
            experiments: rule, flags: SmallDatafile.flag("flag", experiments: ["1"], variables: variables)
        ).project().decide("flag", for: User("u"))
    }

    private static func decision(_ variables: [(key: String, type: String, value: String)]) throws -> Decision {
        let texts = variables.map {
            #"{"id": "\#($0.key)", "key": "\#($0.key)", "type": "\#($0.type)", "#
                + #""defaultValue": \#(SmallDatafile.quoted($0.value))}"#
        }
        return try SmallDatafile(flags: SmallDatafile.flag("flag", variables: texts.joined(separator: ","))).project()
            .decide("flag", for: User("u"))
    }

    private static func variables(_ variables: [(String, String, String)]) throws -> Variables {
        try decision(variables.map { (key: $0.0, type: $0.1, value: $0.2) }).variables
    }
}
