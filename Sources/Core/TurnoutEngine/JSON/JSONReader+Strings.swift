extension JSONReader {
    /// Reads the string that comes next.
    @inline(__always)
    mutating func readString() throws(JSONError) -> JSONText {
        guard peek() == UInt8(ascii: "\"") else { throw unexpected("a string") }
        cursor += 1
        let first = cursor
        let isASCII = try skipPlainBytes()
        guard cursor.pointee != UInt8(ascii: "\"") else {
            let text = JSONText(bytes: UnsafeBufferPointer(start: first, count: cursor - first), isASCII: isASCII)
            cursor += 1
            if !isASCII { try checkUTF8(text.bytes) }
            return text
        }
        return try readEscapedString(from: first)
    }

    /// Steps over a string without resolving its escapes.
    mutating func skipString() throws(JSONError) { _ = try readString() }

    /// Moves to the next quote or backslash. Returns whether all bytes before it were ASCII.
    ///
    /// Looks at eight bytes at a time. A byte is special if it is a quote, a backslash, below 0x20 or above 0x7F; the
    /// subtractions borrow only out of bytes that are special themselves, so the lowest marked byte is always right.
    @inline(__always)
    private mutating func skipPlainBytes() throws(JSONError) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits = ones &* 0x80
        var isASCII = true
        while true {
            while end - cursor >= 8 {
                let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
                let quote = word ^ (ones &* 0x22)
                let backslash = word ^ (ones &* 0x5C)
                let found =
                    ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
                    | ((word &- ones &* 0x20) & ~word) | word
                let marks = found & highBits
                guard marks == 0 else {
                    cursor += marks.trailingZeroBitCount >> 3
                    break
                }
                cursor += 8
            }
            guard cursor < end else { throw error("the string does not end") }
            switch cursor.pointee {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): return isASCII
            case 0..<0x20: throw error("control characters in strings must be escaped")
            case 0x80...: isASCII = false
            default: break
            }
            cursor += 1
        }
    }

    /// Resolves the escapes of a string whose first `\` is at the cursor.
    private mutating func readEscapedString(from first: UnsafePointer<UInt8>) throws(JSONError) -> JSONText {
        var count = 0
        var runStart = first
        while true {
            append(UnsafeBufferPointer(start: runStart, count: cursor - runStart), at: &count)
            let isBackslash = cursor.pointee == UInt8(ascii: "\\")
            cursor += 1
            guard isBackslash else { break }
            try appendEscape(at: &count)
            runStart = cursor
            _ = try skipPlainBytes()
        }
        let text = UnsafeBufferPointer(start: UnsafePointer(scratch), count: count)
        let isASCII = text.allSatisfy { $0 < 0x80 }
        if !isASCII { try checkUTF8(text) }
        return JSONText(bytes: text, isASCII: isASCII)
    }

    private mutating func appendEscape(at count: inout Int) throws(JSONError) {
        guard cursor < end else { throw error("the string does not end") }
        let escape = cursor.pointee
        cursor += 1
        let scalar: Unicode.Scalar
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(escape)
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "b"): scalar = "\u{08}"
        case UInt8(ascii: "f"): scalar = "\u{0C}"
        case UInt8(ascii: "u"): scalar = try readUnicodeEscape()
        default: throw error("unknown escape in a string", at: cursor - 1)
        }
        for unit in String(scalar).utf8 {
            withUnsafePointer(to: unit) { append(UnsafeBufferPointer(start: $0, count: 1), at: &count) }
        }
    }

    /// The scalar of `XXXX`, or of `XXXX\uXXXX` for a surrogate pair; the cursor stands behind the `\u`.
    private mutating func readUnicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let place = cursor - 2
        let high = try readFourHexDigits()
        guard UTF16.isSurrogate(high) else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
        guard UTF16.isLeadSurrogate(high), end - cursor >= 6, cursor[0] == UInt8(ascii: "\\"),
            cursor[1] == UInt8(ascii: "u")
        else { throw error("half of a surrogate pair", at: place) }
        cursor += 2
        let low = try readFourHexDigits()
        guard UTF16.isTrailSurrogate(low) else { throw error("half of a surrogate pair", at: place) }
        let scalar = 0x1_0000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
        return Unicode.Scalar(scalar) ?? "\u{FFFD}"
    }

    private mutating func readFourHexDigits() throws(JSONError) -> UInt16 {
        guard end - cursor >= 4 else { throw error("the string does not end", at: end) }
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(cursor.pointee)).hexDigitValue, cursor.pointee < 0x80 else {
                throw error("expected four hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
            cursor += 1
        }
        return value
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, at count: inout Int) {
        if count + bytes.count > scratchCapacity {
            let capacity = max(scratchCapacity * 2, count + bytes.count)
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            larger.update(from: scratch, count: count)
            scratch.deallocate()
            (scratch, scratchCapacity) = (larger, capacity)
        }
        if let source = bytes.baseAddress { (scratch + count).update(from: source, count: bytes.count) }
        count += bytes.count
    }

    private func checkUTF8(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        guard let offset = bytes.firstInvalidUTF8 else { return }
        // Inside the text itself the place is exact; resolved escapes moved bytes, so there it is the string's end.
        let isInPlace = bytes.baseAddress.map { $0 >= start && $0 < end } ?? false
        throw error("invalid UTF-8", at: isInPlace ? bytes.baseAddress.map { $0 + offset } : cursor - 1)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The offset of the first byte that is not part of well-formed UTF-8 (Unicode 16, table 3-7), or nil.
    var firstInvalidUTF8: Int? {
        var index = 0
        while index < count {
            let lead = self[index]
            guard lead >= 0x80 else {
                index += 1
                continue
            }
            let second: ClosedRange<UInt8>
            let length: Int
            switch lead {
            case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
            default: return index
            }
            guard index + length <= count, second.contains(self[index + 1]),
                (2..<Swift.max(length, 2)).allSatisfy({ self[index + $0] & 0xC0 == 0x80 })
            else { return index }
            index += length
        }
        return nil
    }
}
