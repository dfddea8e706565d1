/// The `substring` match searches for bytes, as the vendor's Python, Java and Go clients do.
@Suite struct SubstringTests {
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
}
