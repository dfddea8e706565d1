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

    // MARK: Name lookup
    // Names are looked up by fingerprints; these names are similar.

    /// All words of up to ten letters from an alphabet of two.
    private static let words: [String] = (0...10).reduce(into: []) { words, length in
        for number in 0..<(1 << length) {
            words.append(String((0..<length).map { number >> $0 & 1 == 0 ? "a" : "b" }))
        }
    }

    @Test func everyNameFindsItsOwnFlag() throws {
        let project = try Self.project(Self.words)
        for word in Self.words { #expect(project.flag(word)?.id == "id of \(word)", "\(word)") }
        #expect(project.flags.map(\.key) == Self.words)
    }

    @Test func namesThatAreMissingAreNotFound() throws {
        let present = Self.words.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let project = try Self.project(present)
        let names = Set(present)
        for word in Self.words { #expect((project.flag(word) != nil) == names.contains(word), "\(word)") }
        for word in ["c", "aac", "caa", "aa\0", "\0", "a\0", "aaaaaaaaaaaaaaaaa", "aé"] {
            #expect(project.flag(word) == nil, "\(word)")
        }
    }

    /// Lengths around eight and sixteen bytes, where the fingerprint algorithm changes.
    @Test func namesThatDifferInOneByteAreDistinct() throws {
        var names: [String] = []
        for length in 1...40 {
            let base = [Character](repeating: "x", count: length)
            names.append(String(base))
            for place in 0..<length {
                var other = base
                other[place] = "y"
                names.append(String(other))
            }
        }
        let project = try Self.project(names)
        for name in names { #expect(project.flag(name)?.id == "id of \(name)", "\(name)") }
    }

    @Test func namesBeyondASCIIAreDistinct() throws {
        let letters = ["é", "è", "e", "日", "本", "🙂", "🙃", "\u{301}", "ﬁ", "fi", "ß", "ss", "İ", "i"]
        let names = Array(Set(letters.flatMap { first in letters.map { first + $0 + "-and-some-more-text" } }))
        let project = try Self.project(names)
        for name in names { #expect(project.flag(name)?.id == "id of \(name)", "\(name)") }
    }

    /// The names of JSON members are interned first, and may be names of flags, too.
    @Test func memberNamesMayBeUsedAsKeys() throws {
        let names = ["id", "key", "status", "variations", "match", "version", "type", "", "experiments"]
        let project = try Self.project(names)
        for name in names { #expect(project.flag(name)?.id == "id of \(name)", "\(name)") }
    }

    private static func project(_ keys: [String]) throws -> Project {
        try SmallDatafile(flags: keys.map { SmallDatafile.flag($0) }.joined(separator: ",")).project()
    }
}
