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

    /// The fingerprint of a name's bytes.
    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) {
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
        let spread = Self.spread(seed)
        var hash = Self.fold(
            first ^ seed ^ 0x2D35_8DCC_AA6C_78A5,
            last ^ spread ^ (UInt64(truncatingIfNeeded: count) &* 0xA076_1D64_78BD_642F))
        var offset = 8
        while offset + 8 < count {
            hash = Self.fold(hash ^ base.loadUnaligned(fromByteOffset: offset, as: UInt64.self), spread)
            offset += 8
        }
        value = UInt32(truncatingIfNeeded: hash)
    }

    /// The fingerprint of a name.
    @inline(__always)
    init(_ name: String, seed: UInt64) { self = name.withBytes { TextHash($0, seed: seed) } }

    /// The second factor for hashing. With a known factor, strings could be crafted for which it is zero.
    @inline(__always)
    private static func spread(_ seed: UInt64) -> UInt64 { seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xD1B5_4A32_D192_ED03 }

    /// Both halves of the 128-bit product, so every bit of the input affects every bit of the result.
    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
