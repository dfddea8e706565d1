/// The fingerprint of a name: its hash, its length and its ends.
///
/// Names are looked up on every decision and 200,000 times in a large datafile. `Dictionary` would spend 25-40 ns
/// on each with SipHash; this takes about 4 ns (Documentation/Decisions/0002). Names of up to 16 bytes, which is nearly
/// all of them, are equal if their fingerprints are; longer ones must be compared.
struct TextHash: Equatable {
    /// The bytes 0 to 7, and the last eight. They overlap, and for short names hold what there is.
    let first: UInt64
    let last: UInt64
    let count: UInt32
    let value: UInt32

    /// Whether equal fingerprints mean equal names.
    @inline(__always)
    var isComplete: Bool { count <= 16 }

    /// The fingerprint of ASCII bytes, or nil if there are others.
    @inline(__always)
    init?(ascii bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) {
        let count = bytes.count
        self.count = UInt32(truncatingIfNeeded: count)
        guard let base = bytes.baseAddress.map({ UnsafeRawPointer($0) }), count > 0 else {
            (first, last, value) = (0, 0, UInt32(truncatingIfNeeded: seed))
            return
        }
        if count >= 8 {
            first = base.loadUnaligned(as: UInt64.self)
            last = base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        } else {
            first = Self.short(base, count: count)
            last = 0
        }
        var seen = first | last
        // The seed goes into both factors: were one of them known, texts could be made for which it is zero.
        let spread = seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xD1B5_4A32_D192_ED03
        var hash = Self.fold(
            first ^ seed ^ 0x2D35_8DCC_AA6C_78A5,
            last ^ spread ^ (UInt64(truncatingIfNeeded: count) &* 0xA076_1D64_78BD_642F))
        var offset = 8
        while offset + 8 < count {
            let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            seen |= word
            hash = Self.fold(hash ^ word, spread)
            offset += 8
        }
        guard seen & 0x8080_8080_8080_8080 == 0 else { return nil }
        value = UInt32(truncatingIfNeeded: hash)
    }

    /// The fingerprint of a name. Names that Swift calls equal, such as é in its two spellings, have equal hashes.
    @inline(__always)
    init(name: String, seed: UInt64) {
        self = name.withBytes { TextHash(ascii: $0, seed: seed) } ?? TextHash(canonical: name, seed: seed)
    }

    /// The fingerprint of a name that is not all ASCII.
    init(canonical name: String, seed: UInt64) {
        if let twin = name.asciiTwin {
            self.init(name: twin, seed: seed)
        } else {
            self.init(incomplete: UInt64(bitPattern: Int64(name.hashValue)) ^ seed)
        }
    }

    /// The fingerprint of a name of which nothing but a hash is known.
    private init(incomplete value: UInt64) {
        (first, last, count) = (0, 0, .max)
        self.value = UInt32(truncatingIfNeeded: value)
    }

    /// Up to seven bytes in one word.
    @inline(__always)
    private static func short(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
        if count >= 4 {
            let low = UInt64(bytes.loadUnaligned(as: UInt32.self))
            let high = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            return low | high << 32
        }
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
