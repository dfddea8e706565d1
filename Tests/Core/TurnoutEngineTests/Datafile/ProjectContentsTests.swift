/// A project gives access to everything in the datafile, and warns about suspicious contents.
@Suite struct ProjectContentsTests {
    @Test func everyEntityCanBeRead() throws {
        let project = try ExampleShop.project()
        #expect(project.projectID == "100300" && project.accountID == "100200" && project.revision == "42")
        #expect(project.version == "4" && project.region == .us && project.environmentKey == "demo")
        #expect(project.anonymizesIP && project.botFiltering == true && project.sendsFlagDecisions)
        #expect(project.flags.map(\.key).contains("dark_mode") && project.flag("nope") == nil)
        let flag = try #require(project.flag("search_ranking"))
        #expect(flag.variables.map(\.typeName) == ["string", "double"] && flag.rolloutRules.isEmpty)
        let rule = try #require(flag.experiments.first)
        #expect(rule.kind == .experiment && rule.status == .running && rule.layerID == "4200")
        #expect(rule.group?.isExclusive == true && rule.audience == .everyone)
        #expect(rule.traffic.map(\.buckets) == [0..<6000, 6000..<10000])
        #expect(rule.traffic.map(\.entityKey) == ["by_sales", "by_rating"])
        #expect(rule.variations[0].isEnabled && !rule.variations[0].overrides.isEmpty)
        #expect(project.groups[0].traffic.map(\.entityKey) == ["ranking_test", "recs_test"])
        #expect(project.globalHoldouts.map(\.key) == ["global_holdout"])
        #expect(project.localHoldouts.map(\.key) == ["ship_holdout"])
        #expect(project.experiment("banner_bandit")?.contextualBanditTraffic == 8000)
        #expect(project.experiment("checkout_test")?.whitelist.map(\.userID) == ["vera"])
        #expect(project.qualifiedSegments == ["vip"] && project.integrations.map(\.key) == ["odp"])
        let event = try #require(project.events.first)
        #expect(project.event(event.key)?.id == event.id)
    }

    @Test func audiencesAreTrees() throws {
        let project = try ExampleShop.project()
        let audience = try #require(project.audiences.first { $0.name == "Gold plan or VIP" })
        #expect(
            audience.condition
                == .any([
                    .attribute(name: "plan", match: "exact", value: "\"gold\""),
                    .attribute(name: "odp.audiences", match: "qualified", value: "\"vip\""),
                ]))
    }

    @Test func validDatafilesHaveNoWarnings() throws { #expect(try ExampleShop.project().warnings == []) }

    @Test func suspiciousContentsCauseWarnings() throws {
        var text = String(decoding: ExampleShop.datafile, as: UTF8.self)
        for (old, new) in [
            (#""match": "gt""#, #""match": "over""#), (#""defaultValue": "75.0""#, #""defaultValue": "much""#),
        ] {
            text = text.replacing(old, with: new)
        }
        let warnings = try Project(datafile: [UInt8](text.utf8)).warnings.map(\.description)
        #expect(warnings.contains { $0.contains("unknown match type \"over\"") }, "\(warnings)")
        #expect(warnings.contains { $0.contains("\"much\" is not a valid double") }, "\(warnings)")
    }
}
