/// The hash of names: keys, ids, attribute names.
///
/// `Dictionary` would hash a short key in 25-40 ns with SipHash; names are hashed on every decision, so they get a
/// multiply-and-fold hash that reads eight bytes at a time, about 4 ns (Documentation/Decisions/0002).
enum TextHash {
    /// The hash of ASCII bytes, or nil if there are others.
    @inline(__always)
    static func ascii(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64? {
        guard let base = bytes.baseAddress else { return fold(seed ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93) }
        let raw = UnsafeRawPointer(base)
        let count = bytes.count
        var hash = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        var seen: UInt64 = 0
        var offset = 0
        while offset + 8 <= count {
            let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            seen |= word
            hash = fold(hash ^ word, 0xA076_1D64_78BD_642F)
            offset += 8
        }
        let word = tail(raw + offset, count: count - offset)
        seen |= word
        guard seen & 0x8080_8080_8080_8080 == 0 else { return nil }
        return fold(hash ^ word, 0xE703_7ED1_A0B4_28DB)
    }

    /// The hash of a name. Names that Swift calls equal, such as é in its two spellings, have equal hashes.
    static func name(_ text: String, seed: UInt64) -> UInt64 {
        text.withBytes { ascii($0, seed: seed) } ?? canonical(text, seed: seed)
    }

    /// The hash of a name that is not all ASCII.
    static func canonical(_ text: String, seed: UInt64) -> UInt64 {
        if let twin = text.asciiTwin { return name(twin, seed: seed) }
        return UInt64(bitPattern: Int64(text.hashValue)) ^ seed
    }

    /// Up to seven bytes in one word.
    @inline(__always)
    private static func tail(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
        if count >= 4 {
            let low = UInt64(bytes.loadUnaligned(as: UInt32.self))
            let high = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            return low | high << 32
        }
        guard count > 0 else { return 0 }
        let first = UInt64(bytes.load(as: UInt8.self))
        let middle = UInt64(bytes.load(fromByteOffset: count >> 1, as: UInt8.self))
        let last = UInt64(bytes.load(fromByteOffset: count - 1, as: UInt8.self))
        return first | middle << 8 | last << 16
    }

    /// Both halves of the 128-bit product, so that every bit of the input moves every bit of the result.
    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension String {
    /// The bytes of the text, without a copy.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = self
        return text.withUTF8(body)
    }

    /// The ASCII text that is canonically equivalent to this text, if this is not ASCII but such a text exists.
    ///
    /// Three characters beyond ASCII are equal to one within, by Unicode's singleton decompositions.
    var asciiTwin: String? {
        guard unicodeScalars.contains(where: { $0 == "\u{212A}" || $0 == "\u{037E}" || $0 == "\u{1FEF}" }) else {
            return nil
        }
        var twin = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\u{212A}": twin.append("K")
            case "\u{037E}": twin.append(";")
            case "\u{1FEF}": twin.append("`")
            default:
                guard scalar.isASCII else { return nil }
                twin.append(scalar)
            }
        }
        return String(twin)
    }
}
