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
}
