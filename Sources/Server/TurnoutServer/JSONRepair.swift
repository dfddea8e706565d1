extension [UInt8] {
    /// This JSON with U+FFFD for each half of a surrogate pair and each byte that is not UTF-8, as the vendor's Agent
    /// reads them, and `null` for `NaN` and the infinities, as browsers write them; nil if it has none of these.
    ///
    /// - Complexity: O(*n*).
    package var repairedJSON: [UInt8]? {
        var repair = JSONRepair(self)
        return repair.run() ? repair.result : nil
    }
}

/// One pass over JSON that a reader has refused.
private struct JSONRepair {
    private let bytes: [UInt8]
    private var index = 0
    private var isChanged = false
    private(set) var result: [UInt8] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns whether there was anything to replace.
    mutating func run() -> Bool {
        // Anyone can send garbage. There may be a byte order mark before the JSON.
        let first = bytes.first { (33..<128).contains($0) }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return false }
        var isString = false
        while index < bytes.count {
            let end = bytes[index...].firstIndex { Self.isSpecial($0, inString: isString) } ?? bytes.count
            keep(end - index)
            guard index < bytes.count else { break }
            if bytes[index] == UInt8(ascii: "\"") {
                isString.toggle()
                keep(1)
            } else if isString {
                passCharacter()
            } else if let word = Self.noNumbers.first(where: { bytes[index...].starts(with: $0.utf8) }) {
                replace(word.utf8.count, by: "null")
            } else {
                keep(1)
            }
        }
        return isChanged
    }

    private static let noNumbers = ["NaN", "Infinity", "-Infinity"]

    /// Whether a string may end at a byte, or something to replace begin.
    private static func isSpecial(_ byte: UInt8, inString isString: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "\""): true
        case UInt8(ascii: "\\"), 0x80...: isString
        case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "-"): !isString
        default: false
        }
    }

    private mutating func keep(_ count: Int) {
        result += bytes[index..<min(index + count, bytes.count)]
        index += count
    }

    private mutating func replace(_ count: Int, by text: String) {
        result += text.utf8
        index += count
        isChanged = true
    }

    private mutating func passCharacter() {
        guard bytes[index] != UInt8(ascii: "\\") else { return passEscape() }
        var (parser, rest) = (Unicode.UTF8.ForwardParser(), bytes[index...].makeIterator())
        if case .valid(let scalar) = parser.parseScalar(from: &rest) {
            keep(scalar.count)
        } else {
            replace(1, by: "\u{FFFD}")
        }
    }

    private mutating func passEscape() {
        guard let high = escapedUnit(at: index) else { return keep(2) }
        guard UTF16.isSurrogate(high) else { return keep(6) }
        if UTF16.isLeadSurrogate(high), let low = escapedUnit(at: index + 6), UTF16.isTrailSurrogate(low) {
            keep(12)
        } else {
            replace(6, by: "\u{FFFD}")
        }
    }

    /// The code unit of an escape such as `\ud83d`; nil for anything else.
    private func escapedUnit(at index: Int) -> UInt16? {
        guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return UInt16(String(decoding: bytes[index + 2..<index + 6], as: UTF8.self), radix: 16)
    }
}
