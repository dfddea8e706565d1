import Foundation

/// Values of up to 1 KB are compared as Swift compares strings, longer ones and all keys by their bytes.
@Suite struct TextComparisonTests {
    /// Two spellings of the same text.
    static let pairs: [(String, String)] = [
        ("\u{E9}", "e\u{301}"), ("\u{212A}", "K"), ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"),
        ("\u{1E69}", "s\u{307}\u{323}"), ("\u{37E}", ";"), ("\u{2126}", "\u{3A9}"),
    ].flatMap { [($0.0, $0.1), ($0.1, $0.0)] }

    @Test(arguments: pairs) func valuesOfUpToOneKilobyteMayHaveAnotherSpelling(pair: (String, String)) throws {
        #expect(try Self.isMet("exact", pair.0, by: pair.1))
        let prefix = String(repeating: "x", count: 1_024 - max(pair.0.utf8.count, pair.1.utf8.count))
        #expect(try Self.isMet("exact", prefix + pair.0, by: prefix + pair.1))
        #expect(try Self.isMet("exact", "x" + prefix + pair.0, by: "x" + prefix + pair.0))
        #expect(try !Self.isMet("exact", "x" + prefix + pair.0, by: "x" + prefix + pair.1))
    }

    /// Texts of the characters whose spellings differ most in length, as long as two can be.
    @Test(arguments: ["\u{1F82}", "\u{390}", "\u{212A}", "\u{1D160}", "\u{D55C}", "\u{2ADC}"])
    func spellingsMayDifferInLength(character: String) throws {
        let decomposed = character.decomposedStringWithCanonicalMapping
        let count = 1_024 / max(character.utf8.count, decomposed.utf8.count)
        let (one, other) = (String(repeating: character, count: count), String(repeating: decomposed, count: count))
        #expect(try Self.isMet("exact", one, by: other) && Self.isMet("exact", other, by: one))
    }

    @Test(arguments: pairs) func versionsMayHaveAnotherSpelling(pair: (String, String)) throws {
        #expect(try Self.isMet("semver_eq", "1.0.0-\(pair.0)", by: "1.0.0-\(pair.1)"))
        #expect(try Self.isMet("semver_lt", "1.0.0-\(pair.0)z", by: "1.0.0-\(pair.1)a"))
    }

    /// Short names and long ones are looked up differently.
    @Test(arguments: pairs, ["", "a-name-of-more-than-sixteen-bytes-"])
    func keysHaveOneSpelling(pair: (String, String), prefix: String) throws {
        let (name, other) = (prefix + pair.0, prefix + pair.1)
        let rule = SmallDatafile.rule(name) {
            $0.audience = Self.leaf("exact", "yes", name: name)
            $0.variations = [(name, true), (other, true)]
            $0.whitelist = [name: other]
        }
        let variable = #"{"id": "v", "key": \#(SmallDatafile.quoted(name)), "type": "string", "defaultValue": "x"}"#
        let project = try SmallDatafile(
            experiments: rule, flags: SmallDatafile.flag(name, experiments: [name], variables: variable)
        ).project()
        let user = User("u", attributes: Attributes(dictionaryLiteral: (name, "yes"), (other, "no")))
        #expect(user.attributes.count == 2)
        let decision = project.decide(name, for: user)
        #expect(decision.stage == .bucketed)
        #expect(decision.variables.string(name) == "x" && decision.variables.string(other) == nil)
        #expect(project.decide(other, for: user).stage == .flagNotFound)
        #expect(project.decide(name, for: User("u", attributes: [other: "yes"])).stage != .bucketed)
        #expect(project.decide(name, for: User(name)).variation?.id == name + "2")
        #expect(project.decide(name, for: User(other)).stage != .whitelist)
    }

    private static func isMet(_ match: String, _ value: String, by text: String) throws -> Bool {
        let project = try SmallDatafile.guarded(by: leaf(match, value)).project()
        return project.decide("flag", for: User("u", attributes: ["text": .string(text)])).isEnabled
    }

    private static func leaf(_ match: String, _ value: String, name: String = "text") -> String {
        """
        {"type": "custom_attribute", "name": \(SmallDatafile.quoted(name)), "match": "\(match)",
         "value": \(SmallDatafile.quoted(value))}
        """
    }

    // MARK: Substring
    // The `substring` match searches for bytes, as the vendor's Python, Java and Go clients do.

    @Test(arguments: [
        // The empty text is in no text, as in the vendor's Swift client.
        ("", "", false), ("a", "", false), ("", "a", false),
        ("abc", "b", true), ("abc", "abc", true), ("abc", "abcd", false), ("abc", "B", false), ("aab", "ab", true),
        // Each spelling of é is found as it is written.
        ("caf\u{E9}", "\u{E9}", true), ("caf\u{E9}", "e\u{301}", false), ("cafe\u{301}", "\u{E9}", false),
        ("caf\u{E9}", "e", false), ("cafe\u{301}", "cafe", true), ("cafe\u{301}", "\u{301}", true),
        ("300 \u{212A}", "K", false), ("a\r\nb", "\n", true), ("👨‍👩‍👧", "👩", true), ("日本語", "本", true),
    ])
    func partsAreFoundByTheirBytes(text: String, part: String, isFound: Bool) throws {
        #expect(try Self.answers([part], in: text) == [isFound])
    }

    /// Texts in which many parts nearly match, so that the search changes to another algorithm.
    @Test(arguments: 1...4) func repetitiveTextsAreSearchedCorrectly(round: UInt64) throws {
        var random = RepeatableRandom(stream: 300 + round)
        for _ in 0..<20 {
            let period = Self.text(1...6, using: &random)
            let text = String(repeating: period, count: 200) + Self.text(1...200, using: &random)
            let parts = (0..<20).map { _ in
                let start = Int.random(in: 0..<text.utf8.count, using: &random)
                let part = String(text.dropFirst(start).prefix(Int.random(in: 1...600, using: &random)))
                return random.oneIn(2) ? part : part + Self.text(1...3, using: &random)
            }
            let bytes = Array(text.utf8)
            let expected = parts.map { part in
                let wanted = Array(part.utf8)
                return wanted.count <= bytes.count
                    && (0...bytes.count - wanted.count).contains { bytes[$0...].starts(with: wanted) }
            }
            #expect(try Self.answers(parts, in: text) == expected, "\(text), seed \(RepeatableRandom.seed)")
        }
    }

    private static func text(_ length: ClosedRange<Int>, using random: inout RepeatableRandom) -> String {
        (0..<Int.random(in: length, using: &random)).map { _ in random.oneIn(4) ? "b" : "a" }.joined()
    }

    /// Whether the engine finds each of the parts in the text.
    private static func answers(_ parts: [String], in text: String) throws -> [Bool] {
        let rules = parts.enumerated().map { number, part in
            SmallDatafile.rule("\(number)") {
                $0.audience = """
                    {"type": "custom_attribute", "name": "text", "match": "substring",
                     "value": \(SmallDatafile.quoted(part))}
                    """
            }
        }
        let flags = parts.indices.map { SmallDatafile.flag("\($0)", experiments: ["\($0)"]) }
        let project = try SmallDatafile(experiments: rules.joined(separator: ","), flags: flags.joined(separator: ","))
            .project()
        return project.decideAll(for: User("u", attributes: ["text": .string(text)])).decisions.map(\.isEnabled)
    }

    // MARK: Hostile text
    // Texts whose comparison takes quadratic time in Swift, or with a simple algorithm.

    /// 100 flags whose conditions compare with the user's id and attributes.
    @Test(arguments: ["\u{301}\u{323}", "\u{344}\u{323}", "\u{F73}\u{F71}", "e\u{301}", "한", "\u{94D}"])
    func textsOfAnyLettersCostAtMostFiveTimesAsMuchAsASCII(unit: String) throws {
        let leaves = [
            ("exact", "enterprise"), ("exact", "\u{E9}"), ("substring", "enterprise"), ("substring", unit + "x"),
            ("semver_gt", "1.0.0-e"),
        ]
        let project = try Self.project((0..<100).map { leaves[$0 % leaves.count] })
        func cost(_ unit: String) -> Double {
            let text = "e" + String(repeating: unit, count: 20_000 / unit.utf8.count)
            return leastProcessorTime(of: rounds(3, thorough: 8)) {
                let attributes = Attributes(dictionaryLiteral: (text, 1), ("text", .string("1.0.0-" + text)))
                return project.decideAll(for: User(text, attributes: attributes)).decisions.count
            }
        }
        let costs = (0..<4).lazy.map { _ in (hostile: cost(unit), ascii: cost("ab")) }
        #expect(costs.contains { $0.hostile <= 5 * $0.ascii })
    }

    /// A dictionary's keys, a segment, and the names in a forced decision.
    @Test(arguments: ["\u{301}\u{323}", "\u{344}\u{323}", "\u{F73}\u{F71}", "\u{5D0}\u{5B0}\u{591}"])
    func keysFromJSONAreReadInLinearTime(unit: String) throws {
        let object = #"{"type": "custom_attribute", "name": "text", "match": "exact", "value": {"e": 1.5}}"#
        let project = try SmallDatafile.guarded(by: object).project()
        try expectLinearTime(unit) { size in
            let key = "e" + String(repeating: unit, count: size / unit.utf8.count)
            let json = """
                {"user": "u", "attributes": {"text": {"\(key)": 1.5}}, "segments": ["\(key)"],
                 "forcedDecisions": [{"flag": "\(key)", "rule": "\(key)", "variation": "x"}]}
                """
            return {
                (try? User(parsing: Array(json.utf8))).map { project.decide("flag", for: $0).isEnabled ? 1 : 0 } ?? -1
            }
        }
    }

    @Test func keysFromJSONStayEqual() throws {
        let key = "e" + String(repeating: "\u{301}\u{323}a\u{F73}\u{345}\u{315}", count: 20)
        let value = try JSONValue(parsing: Array(#"{"\#(key)": 1}"#.utf8))
        #expect(value == .object([key: .integer(1)]))
    }

    /// A part that nearly matches at every position of the text.
    @Test(arguments: ["a", "ab", "aab", "é", "क्", "日本"])
    func longSubstringsAreSearchedForInLinearTime(unit: String) throws {
        try expectLinearTime(unit) { size in
            let count = size / unit.utf8.count
            let part = String(repeating: unit, count: count / 2)
            let project = try Self.project([part + "b", "b" + part, part + "b" + part].map { ("substring", $0) })
            let user = User("u", attributes: ["text": .string(String(repeating: unit, count: count) + "c")])
            return { project.decideAll(for: user).selected.filter(\.isEnabled).count }
        }
    }

    /// Flags whose audiences have one condition each.
    private static func project(_ leaves: [(match: String, value: String)]) throws -> Project {
        let rules = leaves.enumerated().map { number, leaf in
            SmallDatafile.rule("\(number)") {
                $0.audience = """
                    {"type": "custom_attribute", "name": "text", "match": "\(leaf.match)",
                     "value": \(SmallDatafile.quoted(leaf.value))}
                    """
            }
        }
        let flags = leaves.indices.map { SmallDatafile.flag("\($0)", experiments: ["\($0)"]) }
        return try SmallDatafile(experiments: rules.joined(separator: ","), flags: flags.joined(separator: ","))
            .project()
    }
}
