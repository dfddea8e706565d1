/// A piece of Swift source code, as far as finding calls needs it.
struct SwiftToken: Equatable {
    enum Kind: Equatable {
        /// A name or a keyword, without backticks.
        case name(String)
        /// A string literal; nil if it has interpolations.
        case string(String?)
        /// Any other character. The bytes of a number count one by one.
        case symbol(UInt8)
    }

    let kind: Kind
    /// The line of the source, from 1.
    let line: Int

    /// The tokens of a source, without comments.
    static func tokens(of source: [UInt8]) -> [SwiftToken] {
        var reader = SwiftTokenReader(source)
        reader.readTokens(until: nil)
        return reader.tokens
    }
}

/// Divides source code into tokens. Reads any bytes; code that does not compile gives tokens too.
private struct SwiftTokenReader {
    private(set) var tokens: [SwiftToken] = []
    private let source: [UInt8]
    private var position = 0
    private var line = 1
    /// How many interpolations are open. Limited, because threads may have small stacks.
    private var nesting = 0

    init(_ source: [UInt8]) { self.source = source }

    private func byte(_ offset: Int = 0) -> UInt8? {
        position + offset < source.count ? source[position + offset] : nil
    }

    private func isAt(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= source.count else { return false }
        return text.withUTF8Buffer { source[position..<position + count].elementsEqual($0) }
    }

    private mutating func skip(_ count: Int = 1) {
        for _ in 0..<count {
            if byte() == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    /// Reads to the end of the source, or of an interpolation: the parenthesis that closes one opened before.
    mutating func readTokens(until end: UInt8?) {
        var depth = 0
        while let next = byte() {
            if next == end {
                if depth == 0 { return }
                depth -= 1
            } else if next == UInt8(ascii: "(") {
                depth += 1
            }
            readToken(next)
        }
    }

    private mutating func readToken(_ next: UInt8) {
        let pounds = source[position...].prefix(16).prefix { $0 == UInt8(ascii: "#") }.count
        if isAt("//") {
            while let next = byte(), next != UInt8(ascii: "\n") { position += 1 }
        } else if isAt("/*") {
            skipComment()
        } else if byte(pounds) == UInt8(ascii: "\"") {
            readString(pounds)
        } else if Self.startsName(next) || next == UInt8(ascii: "`") {
            readName()
        } else {
            if next > UInt8(ascii: " ") { tokens.append(SwiftToken(kind: .symbol(next), line: line)) }
            skip()
        }
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if isAt("/*") {
                depth += 1
                skip(2)
            } else if isAt("*/") {
                depth -= 1
                skip(2)
            } else {
                skip()
            }
        } while depth > 0 && position < source.count
    }

    private mutating func readName() {
        let isQuoted = byte() == UInt8(ascii: "`")
        if isQuoted { skip() }
        let start = position
        while let next = byte(), Self.startsName(next) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
            position += 1
        }
        tokens.append(SwiftToken(kind: .name(String(decoding: source[start..<position], as: UTF8.self)), line: line))
        if isQuoted, byte() == UInt8(ascii: "`") { skip() }
    }

    private static func startsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    // MARK: String literals

    /// Reads `"…"` or `"""…"""`, with any number of pound signs around it.
    private mutating func readString(_ pounds: Int) {
        let start = line
        skip(pounds)
        let isLong = isAt("\"\"\"")
        let quotes = isLong ? 3 : 1
        skip(quotes)
        let place = tokens.count
        var text: [UInt8]? = []
        while let next = byte() {
            if isEnd(quotes, pounds) {
                skip(quotes + pounds)
                break
            }
            // Not a literal after all, such as a quotation mark in a regular expression.
            if next == UInt8(ascii: "\n"), !isLong { break }
            if next == UInt8(ascii: "\\"), hasPounds(pounds, after: 1) {
                skip(1 + pounds)
                readEscape(into: &text)
            } else {
                text?.append(next)
                skip()
            }
        }
        let token = SwiftToken(kind: .string(text.map { String(decoding: $0, as: UTF8.self) }), line: start)
        tokens.insert(token, at: place)
    }

    private func isEnd(_ quotes: Int, _ pounds: Int) -> Bool {
        (0..<quotes).allSatisfy { byte($0) == UInt8(ascii: "\"") } && hasPounds(pounds, after: quotes)
    }

    private func hasPounds(_ count: Int, after offset: Int) -> Bool {
        (offset..<offset + count).allSatisfy { byte($0) == UInt8(ascii: "#") }
    }

    /// Reads what follows a backslash. An interpolation makes the text unknown, and its code gives tokens.
    private mutating func readEscape(into text: inout [UInt8]?) {
        guard let next = byte() else { return }
        skip()
        switch next {
        case UInt8(ascii: "("):
            text = nil
            guard nesting < 32 else { return }
            nesting += 1
            readTokens(until: UInt8(ascii: ")"))
            nesting -= 1
            skip()
        case UInt8(ascii: "u"): readScalar(into: &text)
        case UInt8(ascii: "n"): text?.append(0x0A)
        case UInt8(ascii: "r"): text?.append(0x0D)
        case UInt8(ascii: "t"): text?.append(0x09)
        case UInt8(ascii: "0"): text?.append(0)
        default: text?.append(next)
        }
    }

    private mutating func readScalar(into text: inout [UInt8]?) {
        let digits = source[position...].dropFirst().prefix(8).prefix { $0 != UInt8(ascii: "}") }
        guard byte() == UInt8(ascii: "{"), let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(value)
        else { return }
        text?.append(contentsOf: String(scalar).utf8)
        skip(digits.count + 2)
    }
}
