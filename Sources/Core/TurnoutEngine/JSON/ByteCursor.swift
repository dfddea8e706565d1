/// Writes pieces of JSON into reserved room.
///
/// Writing more than the room holds traps; `ByteCursor.roomFor…` return how much to reserve.
struct ByteCursor {
    private let start: UnsafeMutablePointer<UInt8>?
    private var place: UnsafeMutablePointer<UInt8>?
    private var rest: Int

    init(room: UnsafeMutableBufferPointer<UInt8>) {
        start = room.baseAddress
        place = start
        rest = room.count
    }

    /// The number of bytes written.
    var count: Int {
        guard let start, let place else { return 0 }
        return place - start
    }

    /// The maximum number of bytes for an integer.
    static let roomForInteger = 20

    /// The maximum number of bytes for a quoted string, if every byte is escaped.
    @inline(__always)
    static func roomForQuoted(_ text: String) -> Int { text.utf8.count * 6 + 2 }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        precondition(rest > 0)
        place?.pointee = byte
        advance(1)
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count <= rest)
        guard let source = bytes.baseAddress else { return }
        place?.update(from: source, count: bytes.count)
        advance(bytes.count)
    }

    /// Appends the bytes of a word, the lowest first.
    @inline(__always)
    mutating func append(characters word: some FixedWidthInteger) {
        let size = word.bitWidth / 8
        precondition(size <= rest)
        if let place { UnsafeMutableRawPointer(place).storeBytes(of: word.littleEndian, as: type(of: word)) }
        advance(size)
    }

    @inline(__always)
    private mutating func advance(_ count: Int) {
        place = place?.advanced(by: count)
        rest -= count
    }

    /// Appends a constant fragment of a payload verbatim.
    @inline(__always)
    mutating func append(_ fragment: StaticString) {
        append(UnsafeBufferPointer(start: fragment.utf8Start, count: fragment.utf8CodeUnitCount))
    }

    /// Appends a string verbatim.
    @inline(__always)
    mutating func append(_ fragment: String) {
        fragment.withBytes { append($0) }
    }

    mutating func append(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var magnitude = value.magnitude
        var digits = 1
        var bound: UInt64 = 10
        // 64 bits hold at most 19 digits; a larger bound would overflow.
        while digits < 19, magnitude >= bound {
            digits += 1
            bound &*= 10
        }
        precondition(digits <= rest)
        var digit = digits
        while digit > 0 {
            digit -= 1
            place?[digit] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
            magnitude /= 10
        }
        advance(digits)
    }

    // MARK: Strings

    /// Appends a string in quotes, escaped where needed.
    @inline(__always)
    mutating func appendQuoted(_ value: String, escapesSlash: Bool = false) {
        append(UInt8(ascii: "\""))
        value.withBytes { text in
            guard !appendPlain(text, escapesSlash: escapesSlash) else { return }
            for byte in text { appendEscaped(byte, escapesSlash: escapesSlash) }
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends a text, eight bytes at a time. Returns false if any byte must be escaped; the cursor then stays where it
    /// is, and the bytes after it may be overwritten.
    private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>, escapesSlash: Bool) -> Bool {
        precondition(text.count <= rest)
        guard let source = text.baseAddress.map({ UnsafeRawPointer($0) }), let place else { return text.isEmpty }
        let target = UnsafeMutableRawPointer(place)
        let end = text.count - 8
        guard end >= 0 else {
            guard !text.shortWord.hasByteToEscape(slash: escapesSlash) else { return false }
            for offset in 0..<text.count { place[offset] = text[offset] }
            advance(text.count)
            return true
        }
        var offset = 0
        while true {
            let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word.hasByteToEscape(slash: escapesSlash) { return false }
            target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            guard offset < end else { break }
            // The last word overlaps the one before it.
            offset = min(offset + 8, end)
        }
        advance(text.count)
        return true
    }

    private mutating func appendEscaped(_ byte: UInt8, escapesSlash: Bool) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): append("\\\\" as StaticString)
        case UInt8(ascii: "/") where escapesSlash: append("\\/" as StaticString)
        case 0x08: append("\\b" as StaticString)
        case 0x09: append("\\t" as StaticString)
        case 0x0A: append("\\n" as StaticString)
        case 0x0C: append("\\f" as StaticString)
        case 0x0D: append("\\r" as StaticString)
        case 0..<0x20:
            append("\\u00" as StaticString)
            append(byte >> 4 + 0x30)
            append((byte & 0xF) + (byte & 0xF < 10 ? 0x30 : 0x57))
        default: append(byte)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Fewer than eight bytes as a word, padded with spaces.
    @inline(__always)
    fileprivate var shortWord: UInt64 {
        var word: UInt64 = 0x2020_2020_2020_2020
        for byte in self { word = word << 8 | UInt64(byte) }
        return word
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate func hasByteToEscape(slash: Bool) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let (quote, backslash) = (self ^ ones &* 0x22, self ^ ones &* 0x5C)
        var marks =
            ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((self &- ones &* 0x20) & ~self)
        if slash {
            let other = self ^ ones &* 0x2F
            marks |= (other &- ones) & ~other
        }
        return marks & (ones &* 0x80) != 0
    }
}
