/// An append-only byte buffer.
///
/// Appending to an array costs about ninety instructions however short the piece is, and a payload consists of seventy
/// short pieces. This buffer reserves room once and copies the pieces without further checks.
struct ByteBuffer: Sendable {
    /// Longer than ``count``; the rest is reserved.
    private var storage: [UInt8] = []
    private(set) var count = 0

    mutating func removeAll() { count = 0 }

    /// Calls a function that writes at most `room` bytes.
    @inline(__always)
    mutating func write(room: Int, _ body: (inout ByteCursor) -> Void) {
        if count + room > storage.count { grow(by: room) }
        let start = count
        count = storage.withUnsafeMutableBufferPointer { storage in
            let room = UnsafeMutableBufferPointer(rebasing: storage[start..<(start + room)])
            guard var cursor = ByteCursor(room: room) else { return start }
            body(&cursor)
            return start + cursor.count
        }
    }

    private mutating func grow(by more: Int) {
        let size = max(storage.count * 2, count + more, 64)
        // Not appended to: without optimization that calls into the runtime for each byte, where all threads contend.
        // Not zero-filled: the reserved room is never read before it is written.
        storage = [UInt8](unsafeUninitializedCapacity: size) { larger, initializedCount in
            storage.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(larger).copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            initializedCount = size
        }
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        storage.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
    }
}

/// Writes pieces of JSON into reserved room.
///
/// Writing more than the room holds traps; `ByteCursor.roomFor…` return how much to reserve.
struct ByteCursor {
    private let start: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer
    private var place: UnsafeMutableRawPointer

    /// Creates a cursor at the start of the room, or nil if there is no room.
    @inline(__always)
    init?(room: UnsafeMutableBufferPointer<UInt8>) {
        guard let base = room.baseAddress else { return nil }
        start = UnsafeMutableRawPointer(base)
        end = start + room.count
        place = start
    }

    /// The number of bytes written.
    var count: Int { place - start }

    /// The maximum number of bytes for an integer.
    static let roomForInteger = 20

    /// The maximum number of bytes for a quoted string, if every byte is escaped; at least a word.
    @inline(__always)
    static func roomForQuoted(_ text: String) -> Int { text.utf8.count * 6 + 10 }

    @inline(__always)
    mutating func append(_ byte: UInt8) { append(characters: byte) }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count <= end - place)
        guard let source = bytes.baseAddress else { return }
        place.copyMemory(from: source, byteCount: bytes.count)
        place += bytes.count
    }

    /// Appends the bytes of a word, the lowest first.
    @inline(__always)
    mutating func append<Word: FixedWidthInteger & BitwiseCopyable>(characters word: Word) {
        precondition(MemoryLayout<Word>.size <= end - place)
        place.storeBytes(of: word.littleEndian, as: Word.self)
        place += MemoryLayout<Word>.size
    }

    /// Appends a constant fragment of a payload verbatim.
    @inline(__always)
    mutating func append(_ fragment: StaticString) {
        append(UnsafeBufferPointer(start: fragment.utf8Start, count: fragment.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ fragment: String) {
        fragment.withBytes { append($0) }
    }

    mutating func append(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(value.magnitude)
    }

    /// Appends the digits of a number, eight at a time. Bytes after them may be overwritten.
    private mutating func append(_ value: UInt64) {
        let zeros: UInt64 = 0x3030_3030_3030_3030
        let (upper, lower) = value.quotientAndRemainder(dividingBy: 100_000_000)
        let digits = lower.eightDigits
        guard upper == 0 else {
            append(upper)
            return append(characters: digits | zeros)
        }
        let leading = min(digits.trailingZeroBitCount / 8, 7)
        append(characters: (digits | zeros) >> UInt64(8 * leading))
        place -= leading
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
    /// is. The bytes after the cursor may be overwritten.
    private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>, escapesSlash: Bool) -> Bool {
        guard let source = text.baseAddress.map({ UnsafeRawPointer($0) }), !text.isEmpty else { return true }
        precondition(max(text.count, 8) <= end - place)
        let last = text.count - 8
        guard last >= 0 else {
            let word = source.shortWord(count: text.count)
            let spaces: UInt64 = 0x2020_2020_2020_2020 &<< UInt64(8 * text.count)
            if (word | spaces).hasByteToEscape(slash: escapesSlash) { return false }
            place.storeBytes(of: word.littleEndian, as: UInt64.self)
            place += text.count
            return true
        }
        var offset = 0
        while true {
            let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word.hasByteToEscape(slash: escapesSlash) { return false }
            place.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            guard offset < last else { break }
            // The last word overlaps the one before it.
            offset = min(offset + 8, last)
        }
        place += text.count
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

extension UInt64 {
    /// The decimal digits of a number below 100,000,000, the first in the lowest byte.
    @inline(__always)
    fileprivate var eightDigits: UInt64 {
        // Split into two numbers of four digits, then into four of two, then into eight of one. The products divide by
        // 100 and by 10.
        var digits = self / 10_000 | (self % 10_000) << 32
        let hundreds = (digits &* 10_486) >> 20 & 0x0000_007F_0000_007F
        digits = hundreds | (digits &- hundreds &* 100) << 16
        let tens = (digits &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (digits &- tens &* 10) << 8
    }

    @inline(__always)
    fileprivate func hasByteToEscape(slash: Bool) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // A subtraction sets the highest bit of a byte that is too small. Bytes that have it anyway are not ASCII.
        var marks = ((self ^ ones &* 0x22) &- ones) | ((self ^ ones &* 0x5C) &- ones) | (self &- ones &* 0x20)
        if slash { marks |= (self ^ ones &* 0x2F) &- ones }
        return marks & ~self & (ones &* 0x80) != 0
    }
}
