/// The fingerprint of a name: its hash, its length, and its first and last bytes.
///
/// Names are looked up on every decision, and 200,000 times while a large datafile loads. `Dictionary` with SipHash
/// takes 25-40 ns for each; this takes about 4 ns (Documentation/Decisions/0002). Names of up to 16 bytes, nearly all
/// of them, are equal if their fingerprints are; longer ones must be compared.
struct TextHash: Equatable {
    /// The bytes 0 to 7, and the last eight. For short names they overlap.
    let first: UInt64
    let last: UInt64
    let count: UInt32
    let value: UInt32

    /// Whether equal fingerprints mean equal names.
    @inline(__always)
    var isComplete: Bool { count <= 16 }

    /// The fingerprint of ASCII bytes, or nil if any are not ASCII.
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
            first = base.shortWord(count: count)
            last = 0
        }
        var seen = first | last
        let spread = Self.spread(seed)
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

    /// The fingerprint of a name. Canonically equivalent names, such as é in its two spellings, have equal hashes.
    @inline(__always)
    init(name: String, seed: UInt64) {
        self = name.withBytes { TextHash(ascii: $0, seed: seed) } ?? TextHash(canonical: name, seed: seed)
    }

    /// The fingerprint of a name that is not all ASCII.
    init(canonical name: String, seed: UInt64) {
        if let twin = name.asciiTwin {
            self.init(name: twin, seed: seed)
        } else {
            self.init(incomplete: name.withBytes { Self.hash(decomposing: $0, seed: seed) })
        }
    }

    /// The hash of a string's canonical decomposition. Swift's own takes quadratic time for long runs of marks.
    private static func hash(decomposing bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
        let spread = spread(seed)
        var hash = seed
        var scalars = CanonicalScalars(bytes)
        while let scalar = scalars.next() { hash = fold(hash ^ UInt64(scalar) ^ 0x2D35_8DCC_AA6C_78A5, spread) }
        return hash
    }

    /// The second factor for hashing. With a known factor, strings could be crafted for which it is zero.
    @inline(__always)
    private static func spread(_ seed: UInt64) -> UInt64 { seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xD1B5_4A32_D192_ED03 }

    /// The fingerprint of a name for which only a hash is known.
    private init(incomplete value: UInt64) {
        (first, last, count) = (0, 0, .max)
        self.value = UInt32(truncatingIfNeeded: value)
    }

    /// Both halves of the 128-bit product, so every bit of the input affects every bit of the result.
    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension String {
    /// The ASCII string that is canonically equivalent to this one, if this is not ASCII and there is one.
    ///
    /// Unicode's singleton decompositions make three non-ASCII characters equivalent to an ASCII one.
    var asciiTwin: String? {
        guard withBytes({ $0.hasASCIITwins }) else { return nil }
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

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes contain one of the three non-ASCII characters that are equivalent to an ASCII one.
    var hasASCIITwins: Bool {
        var offset = 0
        while offset < count {
            switch self[offset] {
            case 0xE2 where self[offset + 1] == 0x84 && self[offset + 2] == 0xAA: return true
            case 0xCD where self[offset + 1] == 0xBE: return true
            case 0xE1 where self[offset + 1] == 0xBF && self[offset + 2] == 0xAF: return true
            default: offset += 1
            }
        }
        return false
    }
}
