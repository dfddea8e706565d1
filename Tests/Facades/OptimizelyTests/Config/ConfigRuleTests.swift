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
}

extension SmallDatafile {
    func config() throws -> ConfigSnapshot { ConfigSnapshot(project: try project()) }
}
