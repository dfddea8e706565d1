import Foundation

/// Random nodes, the same for the same seed.
struct RandomNodes: RandomNumberGenerator {
    /// The value of `TURNOUT_SEED`, or a fixed number, so that ordinary runs are the same.
    static let seed = ProcessInfo.processInfo.environment["TURNOUT_SEED"].flatMap(UInt64.init) ?? 20_261_125

    private var numbers: SplitMix

    init(round: Int) { numbers = SplitMix(state: Self.seed &+ UInt64(round) &* 0x9E37_79B9_7F4A_7C15) }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func upTo(_ limit: Int) -> Int { Int.random(in: 0...limit, using: &self) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[upTo(elements.count - 1)] }

    /// A tree of at most so many levels of collections.
    mutating func node(depth: Int) -> Node {
        switch depth == 0 ? 0 : upTo(3) {
        case 0: scalar()
        case 1: Node(.sequence((0..<upTo(4)).map { _ in node(depth: depth - 1) }))
        default: mapping(depth: depth)
        }
    }

    /// A mapping of at most so many levels. Its keys are different.
    mutating func mapping(depth: Int) -> Node {
        var keys: Set<String> = []
        for _ in 0..<upTo(4) { keys.insert(text()) }
        return Node(.mapping(keys.sorted().map { Node.Member(Node.Key($0), node(depth: depth - 1)) }))
    }

    mutating func scalar() -> Node {
        if upTo(3) == 0 { return Node(.scalar(pick(Self.literals), isQuoted: false)) }
        let text = text()
        // Text without quotes never ends with white space.
        return Node(.scalar(text, isQuoted: upTo(2) > 0 || text.utf8.last.map { $0 <= 0x20 } == true))
    }

    mutating func text() -> String {
        switch upTo(5) {
        case 0: pick(Self.hostile)
        case 1: pick(Self.literals)
        case 2: (0..<upTo(6)).map { _ in pick(Self.hostile) }.joined()
        case 3: (0..<upTo(12)).map { _ in pick(Self.pieces) }.joined()
        case 4: String(String.UnicodeScalarView((0..<upTo(5)).map { _ in anyScalar() }))
        default: pick(["checkout", "Pay now", "off", "on", "50%", "purchase.unique", "it's", "5.2.1"])
        }
    }

    private mutating func anyScalar() -> Unicode.Scalar {
        Unicode.Scalar(UInt32(upTo(pick([0xFF, 0x2100, 0xFFFF, 0x10FFFF])))) ?? "\u{FFFD}"
    }

    static let literals = ["", "~", "null", "true", "false", "0", "-1", "1.50", "1e5", "-0", "12345678901234567890"]

    static let hostile = [
        ": ", " #", "# x", "- ", "-", "--- ", "---", "...", "? ", "?", "*a", "&a", "!x", "|", ">", "%", "@", "`", "{",
        "}", "[", "]", ",", "'", "\"", "\\", "\n", "\r\n", "\r", "\t", " ", "  x", "x  ", "\u{0}", "\u{7}", "\u{1B}",
        "\u{7F}", "\u{85}", "\u{A0}", "\u{2028}", "\u{FEFF}", "\u{FFFE}", "\u{10FFFF}", "é", "日本", "👩‍👩‍👧", "\u{301}x",
        "~", "null", "Null", "yes", "no", "y", "0x1F", "0o7", "1_000", ".inf", ".nan", "1.2.3", "=", "<<", "a: b", "a:",
        ":a", "a #b", "a#b", "x\n", "x\n\n", "\nx", "x\n y\n", " x\ny", "x\n\ny", "x \ny", "#\n#", "a\n- b\n",
        "{\"a\": 1}", "[1]", "true ", "1 ", " 1", "2026-11-25", "-a", "- a", "-1a", "::", "?a",
        String(repeating: "long ", count: 300), String(repeating: "日", count: 1_100),
    ]

    private static let pieces = ["a", "b", "1", " ", "\n", ":", "#", "-", "'", "\"", "é", ",", "\t", "{", "]"]
}
