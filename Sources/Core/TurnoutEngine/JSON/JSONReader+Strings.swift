extension JSONReader {
    @inline(__always)
    package mutating func readString() throws(JSONError) -> JSONText {
        guard peek() == UInt8(ascii: "\"") else { throw unexpected("a string") }
        cursor += 1
        let first = cursor
        skipPlainBytes()
        // Nearly all strings are plain up to their closing quote.
        guard cursor < end, cursor.pointee == UInt8(ascii: "\"") else { return try readSpecialString(from: first) }
        let text = UnsafeBufferPointer(start: first, count: cursor - first)
        cursor += 1
        return JSONText(bytes: text, isASCII: true)
    }

    /// Reads one of several allowed strings; any other is an error.
    mutating func readWord<Word: RawRepresentable<String>>(of words: [Word]) throws(JSONError) -> Word {
        _ = peek()
        let place = cursor
        let text = try readString()
        for word in words where text == word.rawValue { return word }
        let allowed = words.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw error("\"\(text.string)\" is none of \(allowed)", at: place)
    }

    /// Moves to the next byte that is not plain: a quote, a backslash, a control character or one that is not ASCII.
    ///
    /// Processes eight bytes at a time. A byte is special if it is a quote, a backslash, below 0x20 or above 0x7F; the
    /// subtractions borrow only from bytes that are special themselves, so the lowest marked byte is always correct.
    @inline(__always)
    private mutating func skipPlainBytes() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let lastWord = end - 8
        var place = cursor
        while place <= lastWord {
            let word = UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let found =
                ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
                | ((word &- ones &* 0x20) & ~word) | word
            let marks = found & (ones &* 0x80)
            guard marks == 0 else {
                cursor = place + marks.trailingZeroBitCount >> 3
                return
            }
            place += 8
        }
        while place < end, isPlain(place.pointee) { place += 1 }
        cursor = place
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Moves to the next quote or backslash. Returns whether all bytes before it were ASCII.
    private mutating func skipUnescapedBytes() throws(JSONError) -> Bool {
        var isASCII = true
        while true {
            skipPlainBytes()
            guard cursor < end else { throw error("the string does not end") }
            let byte = cursor.pointee
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return isASCII }
            guard byte >= 0x20 else { throw error("control characters in strings must be escaped") }
            isASCII = false
            cursor += 1
        }
    }

    /// Reads the rest of a string that has escapes or bytes that are not ASCII.
    @inline(never)
    private mutating func readSpecialString(from first: UnsafePointer<UInt8>) throws(JSONError) -> JSONText {
        let isASCII = try skipUnescapedBytes()
        guard cursor.pointee == UInt8(ascii: "\"") else {
            return try readEscapedString(from: first, startIsASCII: isASCII)
        }
        let text = UnsafeBufferPointer(start: first, count: cursor - first)
        cursor += 1
        try checkUTF8(text)
        return JSONText(bytes: text, isASCII: isASCII)
    }

    /// Resolves the escapes of a string whose first `\` is at the cursor. `startIsASCII` is for the bytes before it.
    private mutating func readEscapedString(
        from first: UnsafePointer<UInt8>, startIsASCII: Bool
    ) throws(JSONError) -> JSONText {
        var isASCII = startIsASCII
        var count = 0
        var runStart = first
        while true {
            append(UnsafeBufferPointer(start: runStart, count: cursor - runStart), at: &count)
            let isBackslash = cursor.pointee == UInt8(ascii: "\\")
            cursor += 1
            guard isBackslash else { break }
            if isNextLiteralEscape {
                // The character stands for itself and starts the next run.
                runStart = cursor
                cursor += 1
            } else {
                let scalar = try readEscape()
                if !scalar.isASCII { isASCII = false }
                append(scalar, at: &count)
                runStart = cursor
            }
            if try !skipUnescapedBytes() { isASCII = false }
        }
        let text = UnsafeBufferPointer(start: scratch.map { UnsafePointer($0) }, count: count)
        if !isASCII { try checkUTF8(text) }
        return JSONText(bytes: text, isASCII: isASCII)
    }

    /// Whether the character after a `\` stands for itself.
    private var isNextLiteralEscape: Bool {
        guard cursor < end else { return false }
        return switch cursor.pointee {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): true
        default: false
        }
    }

    /// The character that any other escape represents; the cursor is after the `\`.
    private mutating func readEscape() throws(JSONError) -> Unicode.Scalar {
        guard cursor < end else { throw error("the string does not end") }
        let escape = cursor.pointee
        cursor += 1
        switch escape {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        default: throw error("unknown escape in a string", at: cursor - 1)
        }
    }

    /// The scalar of one escape, or of a surrogate pair of two; the cursor is after the first `\u`.
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

    private mutating func append(_ scalar: Unicode.Scalar, at count: inout Int) {
        reserve(count + 4, holding: count)
        guard !scalar.isASCII else {
            scratch?[count] = UInt8(truncatingIfNeeded: scalar.value)
            count += 1
            return
        }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            scratch?[count] = byte
            count += 1
        }
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, at count: inout Int) {
        reserve(count + bytes.count, holding: count)
        if let source = bytes.baseAddress { scratch?.advanced(by: count).update(from: source, count: bytes.count) }
        count += bytes.count
    }

    /// Grows the scratch memory, of which the first `count` bytes are in use.
    private mutating func reserve(_ capacity: Int, holding count: Int) {
        guard capacity > scratchCapacity else { return }
        let largerCapacity = max(scratchCapacity * 2, capacity, 256)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: largerCapacity)
        if let scratch { larger.update(from: scratch, count: count) }
        scratch?.deallocate()
        (scratch, scratchCapacity) = (larger, largerCapacity)
    }

    private func checkUTF8(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        guard let offset = bytes.firstInvalidUTF8 else { return }
        // Within the text itself the offset is exact; resolving escapes moves bytes, so there the end of the string is
        // reported.
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

/// The text of a JSON string: bytes of valid UTF-8 with all escapes resolved.
///
/// The bytes belong to the reader and are valid until it reads the next string.
package struct JSONText {
    package let bytes: UnsafeBufferPointer<UInt8>
    let isASCII: Bool

    package var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The string as a dictionary key. Swift takes quadratic time to hash long runs of combining marks, except in
    /// canonical order, so they are put in that order, which keeps the key equal to the original.
    package var key: String { isASCII || bytes.count <= 64 ? string : string.inCanonicalOrder }

    static func == (text: JSONText, word: String) -> Bool { word.hasBytes(text.bytes) }
}

extension String {
    /// The string with long runs of combining marks sorted by their classes. Unicode's Stream-Safe Text Format allows
    /// 30 marks after a letter.
    fileprivate var inCanonicalOrder: String {
        var result = UnicodeScalarView()
        var marks: [(order: UInt8, scalar: Unicode.Scalar)] = []
        func endRun() {
            if marks.count > 31 { marks.sort { $0.order < $1.order } }
            for mark in marks { result.append(mark.scalar) }
            marks.removeAll(keepingCapacity: true)
        }
        for scalar in unicodeScalars {
            let order = scalar.properties.canonicalCombiningClass.rawValue
            if order == 0 { endRun() }
            marks.append((order, scalar))
        }
        endRun()
        return String(result)
    }
}
