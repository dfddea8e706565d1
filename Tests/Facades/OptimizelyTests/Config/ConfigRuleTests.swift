/// The rules for the configuration, each with a small datafile.
@Suite(.ownThread) struct ConfigRuleTests {
    // MARK: Identity, attributes, events

    @Test func identityComesFromTheDatafile() throws {
        let bare = try SmallDatafile().config()
        #expect(bare.environmentKey.isEmpty && bare.sdkKey.isEmpty && bare.revision == "7")
        let named = try SmallDatafile(more: #""sdkKey": "K", "environmentKey": "E","#).config()
        #expect(named.environmentKey == "E" && named.sdkKey == "K")
    }

    @Test func theListingHasEightStoredProperties() throws {
        #expect(Mirror(reflecting: try SmallDatafile().config()).children.count == 8)
    }

    @Test func attributesAndEventsKeepTheirOrder() throws {
        let attributes = #"{"id": "2", "key": "b"}, {"id": "1", "key": "a"}, {"id": "2", "key": "b"}"#
        let events =
            #"{"id": "9", "key": "e", "experimentIds": ["1", "x"]}, {"id": "8", "key": "d", "experimentIds": []}"#
        let config = try SmallDatafile(attributes: attributes, events: events).config()
        #expect(config.attributes.map(\.id) == ["2", "1", "2"] && config.attributes.map(\.key) == ["b", "a", "b"])
        #expect(config.events.map(\.key) == ["e", "d"] && config.events.map(\.id) == ["9", "8"])
        #expect(config.events[0].experimentIds == ["1", "x"])
    }

    // MARK: Experiments

    @Test func experimentsOfGroupsFollowTheOthers() throws {
        let group = #"{"id": "g", "policy": "random", "trafficAllocation": [], "experiments": ["#
        let config = try SmallDatafile(
            more: #""holdouts": [\#(SmallDatafile.rule("h"))],"#, experiments: SmallDatafile.rule("1"),
            groups: group + SmallDatafile.rule("2") + "]}",
            rollouts: #"{"id": "r", "experiments": [\#(SmallDatafile.rule("3"))]}"#
        ).config()
        #expect(config.experimentsMap.keys.sorted() == ["rule1", "rule2"])
    }

    @Test func duplicateExperimentKeysListTheLastWithAWarning() throws {
        let first = SmallDatafile.rule("1", key: "same")
        let project = try SmallDatafile(experiments: first + "," + SmallDatafile.rule("2", key: "same")).project()
        var warnings: [String] = []
        let config = ConfigSnapshot(project: project) { warnings.append($0) }
        #expect(config.experimentsMap["same"]?.id == "2")
        #expect(warnings.count == 1 && warnings.first?.contains("\"same\"") == true)
    }

    @Test func duplicateVariationKeysListTheLast() throws {
        let variations = #"{"id": "1", "key": "v"}, {"id": "2", "key": "v"}"#
        let config = try SmallDatafile(experiments: SmallDatafile.rule("1", variations: variations)).config()
        let experiment = try #require(config.experimentsMap["rule1"])
        #expect(experiment.variationsMap.mapValues(\.id) == ["v": "2"])
        #expect(experiment.variationsMap["v"]?.featureEnabled == nil)
    }

    @Test func featureRolloutsListTheVariationOfEveryoneElse() throws {
        let ramp = SmallDatafile.rule("1", variations: SmallDatafile.variation("a"), more: #""type": "fr","#)
        let rules = [
            SmallDatafile.rule("2", variations: SmallDatafile.variation("b")),
            SmallDatafile.rule("3", variations: SmallDatafile.variation("c") + "," + SmallDatafile.variation("d")),
        ]
        let config = try SmallDatafile(
            experiments: ramp, rollouts: #"{"id": "r", "experiments": [\#(rules.joined(separator: ","))]}"#,
            flags: SmallDatafile.flag("f", experiments: ["1"], rollout: "r")
        ).config()
        #expect(config.experimentsMap["rule1"]?.variationsMap.keys.sorted() == ["keya", "keyc"])
        #expect(config.featuresMap["f"]?.experimentRules.first?.variationsMap.keys.sorted() == ["keya", "keyc"])
    }

    // MARK: Variables

    @Test func variationsThatAreOnOverrideTheDefaults() throws {
        let variations = [
            SmallDatafile.variation("on", isEnabled: true, overrides: ["10": "mine", "99": "nobody's"]),
            SmallDatafile.variation("off", isEnabled: false, overrides: ["10": "mine"]),
            SmallDatafile.variation("unsaid", overrides: ["10": "mine"]),
        ]
        let variables = [
            SmallDatafile.variable("10", key: "a", value: "usual"), SmallDatafile.variable("11", key: "b", type: "odd"),
            SmallDatafile.variable("12", key: ""),
        ]
        let config = try SmallDatafile(
            experiments: SmallDatafile.rule("1", variations: variations.joined(separator: ",")) + ","
                + SmallDatafile.rule("2", variations: variations[0]),
            flags: SmallDatafile.flag("f", experiments: ["1"], variables: variables.joined(separator: ","))
        ).config()
        let listed = try #require(config.experimentsMap["rule1"]).variationsMap.mapValues(\.variablesMap)
        #expect(listed["keyon"]?.mapValues(\.value) == ["a": "mine", "b": ""])
        #expect(listed["keyoff"]?["a"]?.value == "usual" && listed["keyunsaid"]?["a"]?.value == "usual")
        #expect(listed["keyon"]?["b"]?.type == "odd" && listed["keyon"]?["a"]?.id == "10")
        #expect(config.experimentsMap["rule2"]?.variationsMap["keyon"]?.variablesMap.isEmpty == true)
        #expect(config.featuresMap["f"]?.variablesMap["a"]?.value == "usual")
    }

    @Test func rulesBelongToTheFirstFlagThatNamesThem() throws {
        let variation = SmallDatafile.variation("v", isEnabled: true)
        let config = try SmallDatafile(
            experiments: SmallDatafile.rule("1", variations: variation),
            rollouts: #"{"id": "r", "experiments": [\#(SmallDatafile.rule("2", variations: variation))]}"#,
            flags: [
                SmallDatafile.flag(
                    "first", experiments: ["1"], rollout: "r", variables: SmallDatafile.variable("1", key: "x")),
                SmallDatafile.flag(
                    "second", experiments: ["1"], rollout: "r", variables: SmallDatafile.variable("2", key: "y")),
            ].joined(separator: ",")
        ).config()
        let second = try #require(config.featuresMap["second"])
        for rule in second.experimentRules + second.deliveryRules {
            #expect(rule.variationsMap["keyv"]?.variablesMap.keys.sorted() == ["x"])
        }
        #expect(second.variablesMap.keys.sorted() == ["y"])
    }

    @Test func textsOfSubtypeJSONAreJSON() throws {
        let variable = #"{"id": "1", "key": "j", "type": "string", "subType": "json", "defaultValue": "{}"}"#
        let config = try SmallDatafile(flags: SmallDatafile.flag("f", variables: variable)).config()
        #expect(config.featuresMap["f"]?.variablesMap["j"]?.type == "json")
    }

    // MARK: Flags

    @Test func flagsListTheirRulesInOrder() throws {
        let rules = ["4", "3"].map { SmallDatafile.rule($0) }.joined(separator: ",")
        let config = try SmallDatafile(
            experiments: ["1", "2"].map { SmallDatafile.rule($0) }.joined(separator: ","),
            rollouts: #"{"id": "r", "experiments": [\#(rules)]}"#,
            flags: SmallDatafile.flag("f", experiments: ["2", "missing", "1"], rollout: "r") + ","
                + SmallDatafile.flag("bare")
        ).config()
        let flag = try #require(config.featuresMap["f"])
        #expect(flag.experimentRules.map(\.id) == ["2", "1"] && flag.deliveryRules.map(\.id) == ["4", "3"])
        #expect(config.featuresMap["bare"]?.deliveryRules.isEmpty == true && config.featuresMap.count == 2)
    }

    @Test func repeatedKeysAndIdsDoNotTrap() throws {
        let twice = { (text: String) in text + "," + text }
        let datafile = SmallDatafile(
            experiments: twice(SmallDatafile.rule("1", variations: twice(SmallDatafile.variation("v")))),
            rollouts: twice(#"{"id": "r", "experiments": [\#(SmallDatafile.rule("2"))]}"#),
            flags: twice(
                SmallDatafile.flag(
                    "f", experiments: ["1", "1"], rollout: "r",
                    variables: twice(SmallDatafile.variable("1", key: "x")))),
            audiences: twice(SmallDatafile.audience("1")), typedAudiences: twice(SmallDatafile.audience("2")))
        #expect(try datafile.config().audiences.map(\.id) == ["2", "2", "1", "1"])
    }

    // MARK: Config of shop
    // The configuration of the example project of the repository.

    private func config() throws -> ConfigSnapshot {
        // This file is five folders below the root of the repository.
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let datafile = try Data(contentsOf: root.appending(path: "Examples/Shop/datafile.json"))
        return ConfigSnapshot(project: try Project(datafile: [UInt8](datafile))) { Issue.record("warning: \($0)") }
    }

    @Test func everythingIsListed() throws {
        let config = try config()
        #expect(config.sdkKey == "ShopDemoSdkKey" && config.environmentKey == "demo" && config.revision == "42")
        #expect(
            config.experimentsMap.keys.sorted() == [
                "banner_bandit", "checkout_test", "dark_ramp", "invoice_test", "ranking_test", "recs_test",
            ])
        #expect(config.featuresMap.count == 7 && config.attributes.count == 7 && config.events.count == 3)
        #expect(config.audiences.map(\.id) == ["2001", "2002", "2003", "2004", "2005", "2007", "2008", "2009", "2006"])
    }

    @Test func audiencesAreSerialized() throws {
        let config = try config()
        #expect(config.experimentsMap["checkout_test"]?.audiences == #""North America" AND (NOT "New customers")"#)
        #expect(config.experimentsMap["banner_bandit"]?.audiences == "")
        let text = #"["or",{"type":"custom_attribute","name":"referrer","match":"substring","value":"newsletter"}]"#
        #expect(config.audiences.last?.conditions == text)
        #expect(
            config.audiences[2].conditions
                == #"["and",{"match":"gt","name":"cart_total","type":"custom_attribute","value":80}]"#)
    }

    @Test func flagsKnowTheirRulesAndVariables() throws {
        let flag = try #require(try config().featuresMap["checkout_redesign"])
        #expect(flag.experimentRules.map(\.key) == ["checkout_test"] && flag.deliveryRules.isEmpty)
        #expect(flag.variablesMap.mapValues(\.value) == ["layout": "classic", "steps": "3", "express_pay": "false"])
        #expect(flag.variablesMap["steps"]?.type == "integer")
    }

    @available(*, deprecated, message: "It tests what is deprecated.")
    @Test func theLegacyMapContainsTheSameExperiments() throws {
        for flag in try config().featuresMap.values {
            #expect(flag.experimentsMap.keys.sorted() == flag.experimentRules.map(\.key).sorted())
        }
    }

    // MARK: Config audience

    private static let leaf = #"{"type": "custom_attribute", "name": "age", "match": "gt", "value": 18.0}"#
    private static let leafText = #"{"match":"gt","name":"age","type":"custom_attribute","value":18}"#

    // MARK: The list

    @Test func typedAudiencesPrecedeAndReplaceOthers() throws {
        let others = ["1", "2", "$opt_dummy_audience", "3"].map { SmallDatafile.audience($0, name: "old \($0)") }
        let typed = ["2", "9"].map { SmallDatafile.audience($0, name: "typed \($0)") }
        let config = try SmallDatafile(
            audiences: others.joined(separator: ","), typedAudiences: typed.joined(separator: ",")
        ).config()
        #expect(config.audiences.map(\.name) == ["typed 2", "typed 9", "old 1", "old 3"])
    }

    @Test func stringConditionsAreListedUnchanged() throws {
        let text = #"[ \"or\" , {\"type\": \"custom_attribute\", \"name\": \"é/\"} ]"#
        let config = try SmallDatafile(audiences: SmallDatafile.audience("1", "\"\(text)\"")).config()
        #expect(config.audiences.map(\.conditions) == [#"[ "or" , {"type": "custom_attribute", "name": "é/"} ]"#])
    }

    @Test(arguments: [
        (leaf, leafText),
        (#"["and", \#(leaf), ["not", ["or", "1", "2"]]]"#, #"["and",\#(leafText),["not",["or","1","2"]]]"#),
        (#"["1", "2"]"#, #"["1","2"]"#), (#"[\#(leaf)]"#, "[\(leafText)]"), ("[]", "[]"), (#"["or"]"#, #"["or"]"#),
        (#"[["or", "1"], "2"]"#, #"[["or","1"],"2"]"#), (#"["and", "or", "1"]"#, #"["and","or","1"]"#),
        (#"{"type": "x", "value": null, "name": "a/b"}"#, #"{"name":"a\/b","type":"x"}"#),
        (#"{"value": [1.0, {"b": true, "a": "é"}]}"#, #"{"value":[1,{"a":"é","b":true}]}"#),
    ])
    func valuesAreCompactJSONWithSortedKeys(conditions: String, text: String) throws {
        let config = try SmallDatafile(typedAudiences: SmallDatafile.audience("1", conditions)).config()
        #expect(config.audiences.map(\.conditions) == [text])
    }

    // MARK: The notation

    @Test(arguments: [
        (#""1""#, #""A""#), (#"["1"]"#, #""A""#), (#"["or", "1"]"#, #""A""#),
        (#"["or", "1", "2"]"#, #""A" OR "B""#), (#"["and", "1", "2", "3"]"#, #""A" AND "B" AND "C""#),
        (#"["1", "2"]"#, #""A" OR "B""#), (#"["not", "1"]"#, #"NOT "A""#), (#"["not", "1", "2"]"#, #"NOT "A""#),
        (#"["or", "1", ["and", "2", "3"]]"#, #""A" OR ("B" AND "C")"#),
        (#"["not", ["and", "2", "3"]]"#, #"NOT ("B" AND "C")"#),
        (#"["and", ["or", "1"], ["not", "2"]]"#, #"("A") AND (NOT "B")"#),
        (
            #"["and", ["or", "1", ["and", "2", "3"]], ["and", "1", ["not", "2"]]]"#,
            #"("A" OR ("B" AND "C")) AND ("A" AND (NOT "B"))"#
        ),
        (#"["or", "77"]"#, #""77""#), ("[]", ""), (#"["and"]"#, ""), (#"["not"]"#, ""), (#""or""#, ""),
        (#"[["or", "1"], "2"]"#, ""), (leaf, ""), ("[\(leaf)]", ""),
    ])
    func conditionsOfRulesAreWrittenInWords(conditions: String, text: String) throws {
        let audiences = zip(["1", "2", "3"], ["A", "B", "C"]).map { SmallDatafile.audience($0, name: $1) }
        let rule = SmallDatafile.rule("1", more: #""audienceConditions": \#(conditions),"#)
        let config = try SmallDatafile(experiments: rule, typedAudiences: audiences.joined(separator: ",")).config()
        #expect(config.experimentsMap["rule1"]?.audiences == text)
    }

    @Test func audienceIdsAloneAreNotListed() throws {
        let rule = SmallDatafile.rule("1").replacing(#""audienceIds": []"#, with: #""audienceIds": ["1"]"#)
        let config = try SmallDatafile(experiments: rule, audiences: SmallDatafile.audience("1")).config()
        #expect(config.experimentsMap["rule1"]?.audiences == "")
    }
}

extension SmallDatafile {
    func config() throws -> ConfigSnapshot { ConfigSnapshot(project: try project()) }
}
