/// The configuration of the example project of the repository.
@Suite(.ownThread) struct ConfigOfShopTests {
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
}
