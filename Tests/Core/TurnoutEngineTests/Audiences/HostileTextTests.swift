/// Texts whose comparison takes quadratic time in Swift, or with a simple algorithm.
@Suite struct HostileTextTests {
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
