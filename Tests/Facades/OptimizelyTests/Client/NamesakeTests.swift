/// Experiments, and variables, that have one key.
@Suite(.ownThread) struct NamesakeTests {
    private static func experiment(_ id: String, _ variations: String...) -> String {
        let list = variations.enumerated().map { #"{"id": "\#(id)\#($0)", "key": "\#($1)", "featureEnabled": true}"# }
        return """
            {"id": "\(id)", "key": "x", "layerId": "", "status": "Running", "audienceIds": [], "forcedVariations": {},
             "trafficAllocation": [{"entityId": "\(id)0", "endOfRange": 10000}],
             "variations": [\(list.joined(separator: ", "))]}
            """
    }

    private static let first = experiment("1", "a1", "shared")
    private static let second = experiment("2", "b1", "b2", "shared")

    private func setup(_ experiments: [String]) throws -> TestSetup {
        let flags = ["1", "2"].map { SmallDatafile.flag("f\($0)", experiments: [$0]) }
        let datafile = SmallDatafile(
            experiments: experiments.joined(separator: ","), flags: flags.joined(separator: ","))
        return try TestSetup(Data(datafile.text.utf8))
    }

    @Test(
        arguments: [
            ([first, second], "b2", ["a1", "b2"]), ([first, second], "shared", ["a1", "shared"]),
            ([second, first], "shared", ["shared", "b1"]),
        ])
    func aForcedVariationBelongsToOneExperiment(experiments: [String], key: String, expected: [String]) throws {
        let setup = try setup(experiments)
        #expect(setup.client.setForcedVariation(experimentKey: "x", userId: "u", variationKey: key))
        #expect(setup.client.getForcedVariation(experimentKey: "x", userId: "u") == key)
        let user = setup.user("u")
        let options = [OptimizelyDecideOption.ignoreUserProfileService]
        #expect(["f1", "f2"].map { user.decide(key: $0, options: options).variationKey } == expected)
        #expect(try setup.client.getVariationKey(experimentKey: "x", userId: "u") == key)
    }

    @Test func typedGettersTakeTheFirstVariableOfAKey() throws {
        let variables = [("1", "first"), ("2", "last")].map { SmallDatafile.variable($0, key: "v", value: $1) }
        let flag = SmallDatafile.flag("f", variables: variables.joined(separator: ","))
        let setup = try TestSetup(Data(SmallDatafile(flags: flag).text.utf8))
        let value = try setup.client.getFeatureVariableString(featureKey: "f", variableKey: "v", userId: "u")
        #expect(value == "first")
        #expect(setup.user().decide(key: "f").variables.getValue(jsonPath: "v") == "last")
    }

    @Test func jsonVariablesKeepTheirText() throws {
        let text = #"{ \"b\": 1.50, \"a\": 12345678901234567890 }"#
        let flag = SmallDatafile.flag("f", variables: SmallDatafile.variable("1", key: "v", type: "json", value: text))
        let setup = try TestSetup(Data(SmallDatafile(flags: flag).text.utf8))
        let json = try setup.client.getFeatureVariableJSON(featureKey: "f", variableKey: "v", userId: "u")
        #expect(json.toString() == text.replacing("\\", with: ""))
        #expect(json.toMap()["a"] as? UInt64 == 12_345_678_901_234_567_890)
        let number: UInt64? = setup.user().decide(key: "f").variables.getValue(jsonPath: "v.a")
        #expect(number == 12_345_678_901_234_567_890)
        let string = setup.user().decide(key: "f").variables.toString() ?? ""
        #expect(string.contains(#""a":12345678901234567890"#))
    }

    @Test func activationsHaveTheAttributesOfTheirContext() throws {
        let setup = try TestSetup()
        _ = setup.center.addActivateNotificationListener { _, _, attributes, _, _ in
            setup.journal.add("\(attributes?.count ?? -1)")
        }
        _ = setup.user("u").decide(key: "tested")
        _ = try setup.client.activate(experimentKey: "ab", userId: "u")
        setup.settle()
        #expect(setup.journal.lines.filter { Int($0) != nil } == ["0", "-1"])
    }
}
