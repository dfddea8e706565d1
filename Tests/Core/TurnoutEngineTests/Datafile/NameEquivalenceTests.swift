import TestSupport
import Testing
import TurnoutEngine

/// Names are compared as Swift compares strings: by canonical equivalence. They are hashed and reported as written.
@Suite struct NameEquivalenceTests {
    /// Two spellings of the same text.
    static let pairs: [(String, String)] = [
        ("\u{E9}", "e\u{301}"), ("\u{212A}", "K"), ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"),
        ("\u{1E69}", "s\u{307}\u{323}"),
        ("\u{212A}\u{E9}", "Ke\u{301}"), ("\u{37E}", ";"), ("\u{1FEF}", "`"), ("\u{2126}", "\u{3A9}"),
    ].flatMap { [($0.0, $0.1), ($0.1, $0.0)] }

    /// Short names and long ones are looked up differently.
    static let prefixes = ["", "a-name-of-more-than-sixteen-bytes-"]

    @Test(arguments: pairs, prefixes) func spellingsOfReferencesDoNotMatter(pair: (String, String), prefix: String)
        throws
    {
        let (defined, used) = (prefix + pair.0, prefix + pair.1)
        let project = try Self.project(defined: defined, used: used)
        for name in [defined, used] {
            let user = User("u", attributes: [name: "yes"])
            let decision = project.decide(name, for: user, options: .includeReasons)
            #expect(decision.stage == .bucketed, "\(decision.reasons)")
            #expect(decision.rule?.id == defined)
            #expect(decision.variables.string(name) == "override")
            #expect(decision.variables[name] == .string("override"))
            #expect(project.flag(name)?.experiments.count == 1)
            #expect(project.experiment("rule" + name)?.id == defined)
        }
    }

    @Test(arguments: pairs) func userSpellingsMatterForBucketsButNotForWhitelists(pair: (String, String)) throws {
        let datafile = SmallDatafile(
            experiments: SmallDatafile.rule("1") {
                $0.variations = [("first", true), (pair.0, true)]
                $0.whitelist = [pair.0: pair.1]
            }, flags: SmallDatafile.flag("flag", experiments: ["1"]))
        let project = try datafile.project()
        for id in [pair.0, pair.1] {
            let decision = project.decide("flag", for: User(id))
            #expect(decision.stage == .whitelist)
            #expect(decision.variation?.id == "12")
        }
        let buckets = [pair.0, pair.1].map { Bucketing(bucketingID: $0).hash(entityID: "1") }
        #expect(buckets[0] != buckets[1])
    }

    @Test(arguments: pairs) func spellingsOfForcedDecisionsDoNotMatter(pair: (String, String)) throws {
        let project = try Self.project(defined: pair.0, used: pair.0)
        var user = User("u")
        user.forcedDecisions[DecisionContext(flag: pair.1)] = pair.1
        #expect(project.decide(pair.0, for: user).stage == .forcedDecision)
        user.forcedDecisions = [DecisionContext(flag: pair.1, rule: "rule" + pair.1): pair.1]
        #expect(project.decide(pair.0, for: user).stage == .forcedRule)
    }

    @Test(arguments: pairs) func spellingsInProfilesDoNotMatter(pair: (String, String)) throws {
        let project = try Self.project(defined: pair.0, used: pair.0)
        let profile = UserProfile([pair.1: pair.1 + "1"])
        #expect(project.decide(pair.0, for: User("u"), profile: profile).stage == .storedAssignment)
        var user = User("u")
        user.forcedVariations = [pair.1: pair.1 + "1"]
        #expect(project.decide(pair.0, for: user).stage == .forcedVariation)
    }

    @Test(arguments: pairs) func spellingsOfValuesDoNotMatter(pair: (String, String)) throws {
        for match in ["exact", "substring"] {
            let leaf = Self.leaf("name", match: match, value: pair.0)
            let project = try SmallDatafile.guarded(by: leaf).project()
            #expect(project.decide("flag", for: User("u", attributes: ["name": .string(pair.1)])).isEnabled, "\(match)")
        }
        let project = try SmallDatafile.guarded(by: Self.leaf("any", match: "qualified", value: pair.0)).project()
        var user = User("u")
        user.segments = [pair.1]
        #expect(project.decide("flag", for: user).isEnabled)
    }

    @Test(arguments: pairs) func attributesAreOneUnderBothSpellings(pair: (String, String)) {
        var attributes: Attributes = [pair.0: 1]
        #expect(attributes[pair.1] == 1)
        attributes[pair.1] = 2
        #expect(attributes.count == 1)
        #expect(attributes[pair.0] == 2)
        attributes[pair.1] = nil
        #expect(attributes.isEmpty)
    }

    @Test(arguments: pairs) func reportsAreSpelledAsInTheDatafile(pair: (String, String)) throws {
        let project = try Self.project(defined: pair.0, used: pair.1)
        let decision = project.decide(pair.1, for: User("u", attributes: [pair.1: "yes"]))
        #expect(decision.ruleKey.map { Array($0.utf8) } == Array("rule\(pair.0)".utf8))
        #expect(decision.variationKey.map { Array($0.utf8) } == Array(pair.0.utf8))
        #expect(decision.assignment.map { Array($0.experimentID.utf8) } == Array(pair.0.utf8))
    }

    /// The engine compares ASCII names byte by byte, which is correct only because of this.
    @Test(.thorough) func threeNonASCIICharactersEqualASCIICharacters() {
        let ascii = Set((0..<128).map { String(Unicode.Scalar(UInt8($0))) })
        let others = (0x80...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init).filter {
            ascii.contains(String($0))
        }
        #expect(others == ["\u{37E}", "\u{1FEF}", "\u{212A}"])
    }

    // MARK: Helpers

    private static func leaf(_ name: String, match: String, value: String) -> String {
        """
        {"type": "custom_attribute", "name": \(SmallDatafile.quoted(name)), "match": "\(match)",
         "value": \(SmallDatafile.quoted(value))}
        """
    }

    /// A project in which every entity has one spelling, and every reference to it the other.
    private static func project(defined: String, used: String) throws -> Project {
        let audience = SmallDatafile.audience(defined, leaf(used, match: "exact", value: "yes"))
        let experiment = SmallDatafile.rule(defined) {
            $0.audience = SmallDatafile.quoted(used)
            $0.variations = [(defined, true)]
        }
        let traffic = #""entityId": \#(SmallDatafile.quoted(defined + "1"))"#
        let override = #", "variables": [{"id": \#(SmallDatafile.quoted(used)), "value": "override"}]"#
        let group =
            #"{"id": "g", "policy": "random", "trafficAllocation": [{"entityId": "#
            + SmallDatafile.quoted(used) + #", "endOfRange": 10000}], "experiments": ["#
        let variable =
            #"{"id": \#(SmallDatafile.quoted(defined)), "key": \#(SmallDatafile.quoted(defined)), "type": "string"}"#
        let rule = experiment.replacing(traffic, with: #""entityId": \#(SmallDatafile.quoted(used + "1"))"#)
            .replacing(#""featureEnabled": true"#, with: #""featureEnabled": true"# + override)
        return try SmallDatafile(
            groups: group + rule + "]}", flags: SmallDatafile.flag(defined, experiments: [used], variables: variable),
            typedAudiences: audience
        ).project()
    }
}
