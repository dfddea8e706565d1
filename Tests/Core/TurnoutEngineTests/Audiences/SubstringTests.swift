import Foundation
import Testing
import TurnoutEngine

/// The `substring` match gives the same results as Foundation's search, which the vendor's client uses.
@Suite struct SubstringTests {
    @Test(arguments: [
        ("", "", false), ("a", "", false), ("é", "", false), ("", "a", false), ("abc", "b", true), ("abc", "abc", true),
        ("abc", "abcd", false), ("abc", "B", false), ("ABC", "b", false), ("aab", "ab", true), ("abab", "abb", false),
        // The two spellings of é are equal, and e is not part of either.
        ("caf\u{E9}", "e\u{301}", true), ("cafe\u{301}", "\u{E9}", true), ("caf\u{E9}", "e", false),
        ("cafe\u{301}", "e", false), ("cafe\u{301}", "caf", true), ("cafe\u{301}", "cafe", false),
        ("e\u{301}e", "e", true), ("ee\u{301}", "ee", false), ("ee\u{301}", "e\u{301}", true),
        // Reordered marks, and one mark of two.
        ("s\u{323}\u{307}", "s\u{307}\u{323}", true), ("s\u{323}\u{307}", "s\u{323}", false),
        // Characters that are one for Swift and several for Foundation.
        ("a\r\nb", "\n", true), ("a\r\nb", "\r", true), ("a\r\nb", "\r\n", true), ("é\r\n", "\n", true),
        ("👨‍👩‍👧", "👩", true), ("👨‍👩‍👧", "👨", true), ("🇩🇪🇫🇷", "🇩", true),
        // No folding of case, ligatures or compatibility characters.
        ("straße", "ss", false), ("ﬁsh", "f", false), ("fish", "ﬁ", false), ("Ⅷ", "V", false), ("É", "é", false),
        ("ａ", "a", false), ("İ", "i", false),
        // One of the three characters that are equivalent to one in ASCII.
        ("300 K", "\u{212A}", true), ("300 \u{212A}", "K", true), ("é \u{212A}", "K", true), ("a;b", "\u{37E}", true),
        // Hangul, precomposed and as jamo.
        ("\u{D55C}\u{AE00}", "\u{1112}\u{1161}\u{11AB}", true), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}", true),
        ("\u{D55C}", "\u{D558}", false), ("\u{D558}\u{11AB}", "\u{D558}", true), ("a\u{1161}", "a", true),
        // A part that begins with a mark; spacing marks, skin tones, joiners.
        ("e\u{301}", "\u{301}", true), ("\u{2764}\u{FE0F}", "\u{FE0F}", true), ("\u{915}\u{93F}", "\u{915}", true),
        ("\u{1F44D}\u{1F3FD}", "\u{1F44D}", false), ("a\u{1F3FD}", "a", false), ("a\u{200C}", "a", false),
        ("\u{FF76}\u{FF9E}", "\u{FF76}", false), ("\u{1F468}\u{200D}\u{1F469}", "\u{200D}", false),
        ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}", false), ("\u{915}\u{94D}\u{937}", "\u{915}\u{94D}", false),
        ("日本語", "本", true), ("日本語", "語本", false),
    ])
    func partsAreFoundAsReadersExpect(text: String, part: String, isFound: Bool) throws {
        #expect(Self.isFound(part, in: text) == isFound, "the expectation is not Foundation's")
        #expect(try Self.answers([part], in: [text]) == [isFound])
    }

    /// 20,000 pairs of texts of whole characters, compared with Foundation.
    @Test(arguments: 1...4) func searchInRandomTextsMatchesFoundation(round: UInt64) throws {
        var random = RepeatableRandom(stream: 300 + round)
        let texts = (0..<50).map { _ in Self.text(pieces: 0...10, using: &random) }
        let parts = (0..<100).map { _ in Self.part(of: random.pick(texts), using: &random) }
        let answers = try Self.answers(parts, in: texts)
        var found = 0
        for (number, pair) in texts.flatMap({ text in parts.map { (text, $0) } }).enumerated() {
            let isFound = Self.isFound(pair.1, in: pair.0)
            found += isFound ? 1 : 0
            #expect(
                answers[number] == isFound,
                "\(Self.scalars(pair.1)) in \(Self.scalars(pair.0)), seed \(RepeatableRandom.seed)")
        }
        #expect(found > 250, "too few parts are found to prove anything")
    }

    // MARK: Helpers

    /// Characters as people type them. Foundation is inconsistent about a bare letter before the same letter with a
    /// mark, several marks, and marks alone; these are left out.
    private static let alphabet = [
        "a", "a", "b", "K", "s", "i", "f", ";", "`", " ", "\n", "\r", "\r\n", "\t",
        "é", "e\u{301}", "ß", "ﬁ", "\u{212A}", "Å", "A\u{30A}", "\u{37E}",
        "👨‍👩‍👧", "👨", "👩", "❤️", "🇩🇪", "🇩", "🇪", "🙂", "한", "\u{1112}\u{1161}\u{11AB}", "하", "क", "ก",
        "日", "か\u{3099}", "が", "\u{FEFF}", "\u{200B}", "\u{AD}", "\u{2028}", "\u{85}", "\u{A0}", "א",
    ]

    private static func text(pieces: ClosedRange<Int>, using random: inout RepeatableRandom) -> String {
        (0..<Int.random(in: pieces, using: &random)).map { _ in random.pick(alphabet) }.joined()
    }

    /// A part of the text, or a random text.
    private static func part(of text: String, using random: inout RepeatableRandom) -> String {
        guard !random.oneIn(4), !text.isEmpty else { return Self.text(pieces: 0...2, using: &random) }
        let characters = Array(text)
        let start = Int.random(in: characters.indices, using: &random)
        let end = Int.random(in: start...min(characters.count - 1, start + 3), using: &random)
        return String(characters[start...end])
    }

    /// Whether the engine finds each of the parts in each of the texts.
    private static func answers(_ parts: [String], in texts: [String]) throws -> [Bool] {
        let rules = parts.enumerated().map { number, part in
            SmallDatafile.rule("\(number)") {
                $0.audience = """
                    {"type": "custom_attribute", "name": "text", "match": "substring",
                     "value": \(SmallDatafile.quoted(part))}
                    """
            }
        }
        let flags = parts.indices.map { SmallDatafile.flag("\($0)", experiments: ["\($0)"]) }
        let project = try SmallDatafile(
            experiments: rules.joined(separator: ","), flags: flags.joined(separator: ",")
        ).project()
        return texts.flatMap { text in
            project.decideAll(for: User("u", attributes: ["text": .string(text)])).decisions.map(\.isEnabled)
        }
    }

    /// Foundation's answer. `String.range(of:)` traps on some of these texts when it converts the position back.
    private static func isFound(_ part: String, in text: String) -> Bool {
        NSString(string: text).range(of: part).location != NSNotFound
    }

    private static func scalars(_ text: String) -> String {
        text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }
}
