import TestSupport
import Testing
import TurnoutEngine

/// Texts whose comparison takes quadratic time in Swift: here, the worst case of every script takes linear time.
@Suite struct HostileTextTests {
    /// The repeated units, by script; the first letter of a text is an `e`.
    static let units: [(name: String, unit: String)] = [
        ("Latin marks in the wrong order", "\u{301}\u{323}"), ("Latin marks", "\u{301}"), ("composed", "é"),
        ("decomposed", "e\u{301}"), ("marks that decompose", "\u{344}\u{323}"), ("grapheme joiners", "\u{34F}"),
        ("Hebrew", "\u{5D0}\u{5B0}\u{591}"), ("Arabic", "\u{64B}\u{651}\u{650}"), ("Syriac", "\u{730}\u{731}"),
        ("Devanagari", "\u{915}\u{94D}"), ("Devanagari and joiners", "\u{915}\u{94D}\u{200D}"),
        ("viramas", "\u{94D}"), ("nuktas and viramas", "\u{94D}\u{93C}"), ("Bengali", "\u{9C7}\u{9BE}"),
        ("Malayalam", "\u{D15}\u{D4D}"), ("Thai", "\u{E01}\u{E38}\u{E48}"), ("Tibetan", "\u{F73}\u{F71}"),
        ("Myanmar", "\u{1000}\u{1039}"), ("Khmer", "\u{1780}\u{17D2}"), ("Hangul", "한"),
        ("Hangul letters", "\u{1100}\u{1161}\u{11A8}"), ("leading Hangul letters", "\u{1100}"),
        ("kana", "\u{30AB}\u{3099}"),
        ("ideographs", "日"), ("compatibility ideographs", "\u{2F800}"), ("musical symbols", "\u{1D160}"),
        ("joiners", "\u{200D}"), ("families", "👩\u{200D}"), ("skin tones", "\u{1F3FD}"), ("flags", "\u{1F1E9}"),
        ("variation selectors", "\u{FE0F}"), ("kelvin signs", "\u{212A}"), ("ASCII", "ab"),
    ]

    /// Twice the text may take about twice the time; quadratic time would be four times as long.
    @Test(arguments: units) func valuesAreComparedInLinearTime(script: (name: String, unit: String)) throws {
        let project = try Self.project(comparingWith: script.unit)
        func user(_ size: Int) -> User {
            let count = size / script.unit.utf8.count
            return User("u", attributes: ["text": .string("e" + String(repeating: script.unit, count: count))])
        }
        try expectLinearTime("\(script.name)") { size in
            let user = user(size)
            return { project.decideAll(for: user).decisions.count }
        }
    }

    @Test(arguments: units) func namesAreLookedUpInLinearTime(script: (name: String, unit: String)) throws {
        let project = try Self.project(comparingWith: script.unit)
        try expectLinearTime("\(script.name)") { size in
            let name = "e" + String(repeating: script.unit, count: size / script.unit.utf8.count)
            return {
                let user = User(name, attributes: Attributes(dictionaryLiteral: (name, 1), ("text", "e")))
                return project.decide(name, for: user).stage == .flagNotFound ? 1 : 0
            }
        }
    }

    @Test(arguments: units) func datafilesAreReadInLinearTime(script: (name: String, unit: String)) throws {
        try expectLinearTime("\(script.name)") { size in
            let text = "e" + String(repeating: script.unit, count: size / 4 / script.unit.utf8.count)
            let bytes = Array(
                SmallDatafile(
                    experiments: SmallDatafile.rule("1") { $0.audience = Self.leaf("exact", text) },
                    flags: SmallDatafile.flag(text, experiments: ["1"]) + "," + SmallDatafile.flag(text + "\u{301}")
                ).text.utf8)
            return { (try? Project(datafile: bytes))?.flags.count ?? 0 }
        }
    }

    /// Equivalent spellings of one name have equal hashes, but different bytes.
    @Test func equivalentSpellingsAreReadInLinearTime() throws {
        try expectLinearTime("spellings", sizes: (small: 4_096, large: 16_384)) { size in
            let flag = SmallDatafile.flag("flag", experiments: (0..<size).map(Self.spelling))
            let bytes = Array(SmallDatafile(flags: flag).text.utf8)
            return { (try? Project(datafile: bytes))?.flags.count ?? 0 }
        }
    }

    /// All of them find the flag, and each is reported as it is written.
    @Test(arguments: [0, 1, 100, 255]) func equivalentSpellingsAreKept(number: Int) throws {
        let rule = SmallDatafile.rule("1") {
            $0.variations = (0..<256).map { (Self.spelling($0), true) }
            $0.owners = [number + 1]
        }
        let flag = SmallDatafile.flag(Self.spelling(300), experiments: ["1"])
        let project = try SmallDatafile(experiments: rule, flags: flag).project()
        for spelling in [number, 300, 301, 32_767].map(Self.spelling) {
            let decision = project.decide(spelling, for: User("u"))
            #expect(Array((decision.variationKey ?? "").utf8) == Array(Self.spelling(number).utf8))
        }
        #expect(project.decide(Self.spelling(0) + "e", for: User("u")).stage == .flagNotFound)
    }

    /// A version whose suffix is compared character by character, and dictionary keys.
    @Test func suffixesAndDictionariesAreComparedInLinearTime() throws {
        let version = Self.leaf("semver_gt", "1.0.0-e")
        let object = #"{"type": "custom_attribute", "name": "text", "match": "exact", "value": {"e": 1.5}}"#
        for (number, leaf) in [version, object].enumerated() {
            let project = try SmallDatafile.guarded(by: leaf).project()
            try expectLinearTime("\(number)") { size in
                let marks = String(repeating: "\u{301}\u{323}", count: size / 4)
                let json = #"{"user": "u", "attributes": {"text": {"e\#(marks)": 1.5}}}"#
                let text: AttributeValue = .string("1.0.0-e" + marks)
                return {
                    let plain = User("u", attributes: ["text": text])
                    let user = number == 0 ? plain : try? User(parsing: Array(json.utf8))
                    return user.map { project.decide("flag", for: $0).isEnabled ? 1 : 0 } ?? -1
                }
            }
        }
    }

    /// A part that nearly matches at every position of the text.
    @Test(arguments: ["a", "ab", "aab", "é", "क्", "日本"])
    func longSubstringsAreSearchedForInLinearTime(unit: String) throws {
        try expectLinearTime(unit) { size in
            let count = size / unit.utf8.count
            let part = String(repeating: unit, count: count / 2)
            let parts = [part + "b", "b" + part, part + "b" + part]
            let datafile = SmallDatafile(
                experiments: parts.enumerated().map { number, part in
                    SmallDatafile.rule("\(number)") { $0.audience = Self.leaf("substring", part) }
                }.joined(separator: ","),
                flags: parts.indices.map { SmallDatafile.flag("\($0)", experiments: ["\($0)"]) }.joined(separator: ","))
            let project = try? datafile.project()
            let user = User("u", attributes: ["text": .string(String(repeating: unit, count: count) + "c")])
            return { project?.decideAll(for: user).selected.filter(\.isEnabled).count ?? -1 }
        }
    }

    @Test func onlyTextsUpToALimitAreSearchedForEquivalentSpellings() throws {
        let project = try SmallDatafile.guarded(by: Self.leaf("substring", "\u{E9}x")).project()
        func isIn(_ text: String) -> Bool {
            project.decide("flag", for: User("u", attributes: ["text": .string(text)])).isEnabled
        }
        let (shorter, longer) = (String(repeating: "a", count: 65_532), String(repeating: "a", count: 65_533))
        #expect(isIn(shorter + "e\u{301}x") && !isIn(longer + "e\u{301}x"))
        #expect(isIn(longer + "\u{E9}x"))
    }

    /// Runs of marks beyond the limit of Unicode's Stream-Safe Text Format are still equal in any order.
    @Test(arguments: [1, 30, 31, 100, 1_000]) func longRunsOfMarksAreEqualInEveryOrder(count: Int) throws {
        let above = String(repeating: "\u{301}", count: count)
        let below = String(repeating: "\u{323}", count: count)
        let mixed = String(repeating: "\u{301}\u{323}", count: count)
        for match in ["exact", "substring"] {
            let project = try SmallDatafile.guarded(by: Self.leaf(match, "e" + above + below)).project()
            func isIn(_ text: String) -> Bool {
                project.decide("flag", for: User("u", attributes: ["text": .string(text)])).isEnabled
            }
            #expect(isIn("e" + mixed) && isIn("e" + below + above))
            #expect(!isIn("e" + mixed + "\u{301}") && !isIn("e" + String(repeating: "\u{323}", count: 2 * count)))
        }
    }

    // MARK: Helpers

    private static func leaf(_ match: String, _ value: String) -> String {
        """
        {"type": "custom_attribute", "name": "text", "match": "\(match)", "value": \(SmallDatafile.quoted(value))}
        """
    }

    /// One of 32,768 canonically equivalent names: each bit of the number chooses how a letter is spelled.
    private static func spelling(_ number: Int) -> String {
        (0..<15).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }.joined()
    }

    /// Flags whose audiences compare with near matches of the hostile texts.
    private static func project(comparingWith unit: String) throws -> Project {
        let last = unit.unicodeScalars.last.map { String($0) } ?? unit
        let long = "e" + String(repeating: unit, count: 5_000)
        let leaves = [
            ("exact", "e"), ("exact", "enterprise"), ("exact", "\u{E9}"), ("exact", long), ("exact", long + "x"),
            ("substring", "enterprise"), ("substring", "K"), ("substring", "\u{E9}x"), ("substring", unit + "x"),
            ("substring", last + "x"), ("semver_gt", "1.0.0-beta"),
        ]
        let rules = leaves.enumerated().map { number, leaf in
            SmallDatafile.rule("\(number)") { $0.audience = Self.leaf(leaf.0, leaf.1) }
        }
        let flags = leaves.indices.map { SmallDatafile.flag("\($0)", experiments: ["\($0)"]) }
        return try SmallDatafile(experiments: rules.joined(separator: ","), flags: flags.joined(separator: ","))
            .project()
    }
}
