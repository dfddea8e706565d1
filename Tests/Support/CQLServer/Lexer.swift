/// A word of a statement.
enum LexicalToken: Equatable {
    /// In lower case.
    case word(String)
    case quotedName(String)
    case literal(Literal)
    /// `?`, or `:name`.
    case marker(String?)
    case symbol(String)
    case end
}

/// Splits the text of a statement into its words.
struct Lexer {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    private func byte(_ offset: Int = 0) -> UInt8 { position + offset < bytes.count ? bytes[position + offset] : 0 }

    private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, isTaken(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// The next word; `.end` after the last.
    mutating func next() throws(CQLError) -> LexicalToken {
        try skipSpace()
        guard position < bytes.count else { return .end }
        let first = byte()
        switch first {
        case UInt8(ascii: "'"): return .literal(.string(try quoted(first)))
        case UInt8(ascii: "\""): return .quotedName(try quoted(first))
        case UInt8(ascii: "?"):
            position += 1
            return .marker(nil)
        case UInt8(ascii: ":") where Self.isNameStart(byte(1)):
            position += 1
            return .marker(take(while: Self.isNamePart).lowercased())
        default: break
        }
        if let uuid = uuid() { return .literal(.uuid(uuid)) }
        if first == UInt8(ascii: "0"), byte(1) | 0x20 == UInt8(ascii: "x") { return .literal(.blob(try blob())) }
        if Self.isDigit(first) || (first == UInt8(ascii: "-") && Self.isDigit(byte(1))) { return number() }
        if Self.isNameStart(first) { return .word(take(while: Self.isNamePart).lowercased()) }
        return symbol(first)
    }

    private mutating func symbol(_ first: UInt8) -> LexicalToken {
        position += 1
        if first == UInt8(ascii: "<") || first == UInt8(ascii: ">"), byte() == UInt8(ascii: "=") {
            position += 1
            return .symbol(first == UInt8(ascii: "<") ? "<=" : ">=")
        }
        return .symbol(String(decoding: [first], as: UTF8.self))
    }

    private mutating func number() -> LexicalToken {
        let start = position
        position += 1
        _ = take { Self.isDigit($0) || ".eE".utf8.contains($0) }
        return .literal(.number(String(decoding: bytes[start..<position], as: UTF8.self)))
    }

    /// Text between quotation marks, which are doubled inside.
    private mutating func quoted(_ mark: UInt8) throws(CQLError) -> String {
        var text: [UInt8] = []
        position += 1
        while position < bytes.count {
            if byte() == mark {
                position += 1
                guard byte() == mark else { return String(decoding: text, as: UTF8.self) }
            }
            text.append(byte())
            position += 1
        }
        throw .syntax("a quotation mark is not closed")
    }

    private mutating func blob() throws(CQLError) -> [UInt8] {
        position += 2
        let digits = take { Self.hexadecimal($0) != nil }.utf8.compactMap(Self.hexadecimal)
        guard digits.count.isMultiple(of: 2) else { throw .syntax("a blob has an odd number of digits") }
        return Self.pairs(digits)
    }

    /// The bytes of a UUID; nil if none starts here.
    private mutating func uuid() -> [UInt8]? {
        guard bytes.count - position >= 36 else { return nil }
        var digits: [UInt8] = []
        for offset in 0..<36 {
            if [8, 13, 18, 23].contains(offset) {
                guard byte(offset) == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Self.hexadecimal(byte(offset)) else { return nil }
                digits.append(digit)
            }
        }
        position += 36
        return Self.pairs(digits)
    }

    private static func pairs(_ digits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private mutating func skipSpace() throws(CQLError) {
        while position < bytes.count {
            switch (byte(), byte(1)) {
            case (UInt8(ascii: " "), _), (UInt8(ascii: "\n"), _), (UInt8(ascii: "\r"), _), (UInt8(ascii: "\t"), _):
                position += 1
            case (UInt8(ascii: "-"), UInt8(ascii: "-")), (UInt8(ascii: "/"), UInt8(ascii: "/")):
                _ = take { $0 != UInt8(ascii: "\n") }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                position += 2
                while position < bytes.count, !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) {
                    position += 1
                }
                guard position < bytes.count else { throw .syntax("a comment is not closed") }
                position += 2
            default: return
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isNameStart(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    private static func isNamePart(_ byte: UInt8) -> Bool {
        isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "_")
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
