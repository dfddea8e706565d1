import TurnoutEngine

/// The tokens of a query in GraphQL.
struct GraphQLTokens {
    enum Token: Equatable {
        case name(String)
        case number(String)
        case string(String)
        case mark(Character)
    }

    private(set) var all: [Token] = []
    private var rest: Substring.UTF8View

    init(_ text: String) throws(SegmentQueryError) {
        rest = text[...].utf8
        while let byte = rest.first { try read(byte) }
    }

    private mutating func read(_ byte: UInt8) throws(SegmentQueryError) {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","): rest.removeFirst()
        case UInt8(ascii: "#"): _ = take { $0 != 0x0A && $0 != 0x0D }
        case UInt8(ascii: "\""): all.append(.string(try string()))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            all.append(.name(take { $0.isWord }))
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            all.append(.number(take { $0.isWord || [0x2B, 0x2D, 0x2E].contains($0) }))
        default:
            let mark = Character(Unicode.Scalar(byte))
            guard "{}()[]:$!=".contains(mark) else { throw .syntax("the query has an unexpected character") }
            rest.removeFirst()
            all.append(.mark(mark))
        }
    }

    private mutating func take(while isWanted: (UInt8) -> Bool) -> String {
        let text = rest.prefix(while: isWanted)
        rest = rest[text.endIndex...]
        return String(Substring(text))
    }

    /// A string in quotes. Its escapes are those of JSON, apart from `\u{…}`, which no client sends.
    private mutating func string() throws(SegmentQueryError) -> String {
        var end = rest.index(after: rest.startIndex)
        while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
            guard rest[end] != 0x0A else { break }
            end = rest.index(after: end)
            if rest[rest.index(before: end)] == UInt8(ascii: "\\"), end < rest.endIndex { end = rest.index(after: end) }
        }
        guard end < rest.endIndex, rest[end] == UInt8(ascii: "\"") else { throw .syntax("a string has no end") }
        let quoted = rest[...end]
        rest = rest[rest.index(after: end)...]
        guard case .string(let text)? = try? JSONValue(parsing: Array(quoted)) else {
            throw .syntax("a string has an invalid escape")
        }
        return text
    }
}

extension UInt8 {
    fileprivate var isWord: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
            || self == UInt8(ascii: "_")
    }
}
