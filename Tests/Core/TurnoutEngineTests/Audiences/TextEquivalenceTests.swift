import Foundation
import TestSupport
import Testing
import TurnoutEngine

/// The engine compares texts with its own tables, which must agree with Swift's and Foundation's Unicode data.
@Suite struct TextEquivalenceTests {
    /// Every character that has another spelling; in a short run, one of ten.
    @Test func everyDecompositionMatchesTheStandardLibrary() throws {
        let pairs = stride(from: 0x80 as UInt32, through: 0x10FFFF, by: rounds(10, thorough: 1)).compactMap {
            value -> (String, String)? in
            // Only one Hangul syllable in a hundred: their decompositions follow a rule.
            guard !(0xAC00...0xD7A3).contains(value) || value % 101 == 0 else { return nil }
            guard let scalar = Unicode.Scalar(value) else { return nil }
            let text = String(scalar)
            let other = text.decomposedStringWithCanonicalMapping
            return Array(other.utf8) == Array(text.utf8) ? nil : (text, other)
        }
        #expect(pairs.count > rounds(200, thorough: 2_000))
        for (text, other) in pairs where text == other {
            let attributes: Attributes = [text: 1]
            #expect(attributes[other] == 1, "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
        }
    }

    /// Pairs of short texts of a few difficult scalars, compared with Swift's `==`.
    @Test(arguments: 1...4) func equalityOfRandomTextsMatchesSwift(round: UInt64) {
        var random = RepeatableRandom(stream: 330 + round)
        var equal = 0
        for _ in 0..<rounds(1_000, thorough: 10_000) {
            let alphabet = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.pick(Self.scalars) }
            var texts = (0..<2).map { _ in
                (0..<Int.random(in: 0...5, using: &random)).map { _ in random.pick(alphabet) }.joined()
            }
            if random.oneIn(2) {
                // The same scalars in another order, which is another spelling if only marks moved.
                let scalars = texts[0].decomposedStringWithCanonicalMapping.unicodeScalars
                let place = Int.random(in: 0...scalars.count, using: &random)
                texts[1] = (scalars.prefix(place) + scalars.dropFirst(place).shuffled(using: &random))
                    .map(String.init).joined()
            }
            let attributes = Attributes(dictionaryLiteral: (texts[0], 1))
            #expect(
                (attributes[texts[1]] != nil) == (texts[0] == texts[1]),
                "\(texts.map { $0.unicodeScalars.map { String($0.value, radix: 16) } }), seed \(RepeatableRandom.seed)")
            equal += texts[0] == texts[1] && Array(texts[0].utf8) != Array(texts[1].utf8) ? 1 : 0
        }
        #expect(equal > rounds(5, thorough: 50), "too few texts have two spellings to prove anything")
    }

    private static let scalars = [
        "a", "e", "K", ";", "`", "s", "\u{212A}", "\u{37E}", "\u{1FEF}", "\u{E9}", "\u{1E69}", "\u{301}", "\u{323}",
        "\u{307}", "\u{308}", "\u{344}", "\u{340}", "\u{300}", "\u{2126}", "\u{3A9}", "\u{AC00}", "\u{AC01}",
        "\u{1100}", "\u{1161}", "\u{11A8}", "\u{915}", "\u{93C}", "\u{958}", "\u{94D}", "\u{9CB}", "\u{9C7}", "\u{9BE}",
        "\u{DDD}",
        "\u{DD9}", "\u{DCF}", "\u{DCA}", "\u{30AB}", "\u{3099}", "\u{30AC}", "\u{FB1D}", "\u{5D9}", "\u{5B4}",
        "\u{591}",
        "\u{1D15E}", "\u{1D157}", "\u{1D165}", "\u{16126}", "\u{1611E}", "\u{1611F}", "\u{16D67}", "\u{16D68}", "\0",
    ]
}
