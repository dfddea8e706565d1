/// An incremental MurmurHash3, the 32-bit variant for x86 (Austin Appleby, 2011, public domain algorithm).
///
/// A user's id starts the hashed text of all of the user's decisions, so it is hashed once and the state is copied.
struct MurmurHasher: Sendable {
    private var hash: UInt32
    /// The last bytes, lowest first, which do not fill a block of four.
    private var tail: UInt32 = 0
    private var length: UInt32 = 0

    init(seed: UInt32) { hash = seed }

    mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        let raw = UnsafeRawPointer(base)
        var pending = UInt64(tail)
        var pendingBits = UInt64(length & 3) * 8
        length &+= UInt32(truncatingIfNeeded: bytes.count)
        var offset = 0
        while offset + 4 <= bytes.count {
            let word = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            pending |= UInt64(word) &<< pendingBits
            mix(UInt32(truncatingIfNeeded: pending))
            pending >>= 32
            offset += 4
        }
        while offset < bytes.count {
            pending |= UInt64(bytes[offset]) &<< pendingBits
            pendingBits &+= 8
            offset += 1
        }
        if pendingBits >= 32 {
            mix(UInt32(truncatingIfNeeded: pending))
            pending >>= 32
        }
        tail = UInt32(truncatingIfNeeded: pending)
    }

    /// The hash of everything appended.
    var value: UInt32 {
        var result = hash ^ Self.scramble(tail) ^ length
        result = (result ^ result >> 16) &* 0x85EB_CA6B
        result = (result ^ result >> 13) &* 0xC2B2_AE35
        return result ^ result >> 16
    }

    @inline(__always)
    private mutating func mix(_ block: UInt32) {
        hash ^= Self.scramble(block)
        hash = (hash << 13 | hash >> 19) &* 5 &+ 0xE654_6B64
    }

    @inline(__always)
    private static func scramble(_ block: UInt32) -> UInt32 {
        let product = block &* 0xCC9E_2D51
        return (product << 15 | product >> 17) &* 0x1B87_3593
    }
}
