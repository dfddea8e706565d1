import TurnoutEngine

/// MurmurHash3 in two variants: 32 bits for x86, 128 bits for x64.
///
/// `maxBytes` is the number of bytes to hash; for an array, at most the array's count.
public class MurmurHash3 {
    // MARK: 32 bits

    /// The 32-bit hash of the first `maxBytes` bytes at an address, all of which must be readable.
    public static func doHash32(key: UnsafePointer<UInt8>, maxBytes: Int, seed: UInt32 = 0) -> UInt32 {
        Bucketing.hash(UnsafeBufferPointer(start: key, count: max(maxBytes, 0)), seed: seed)
    }

    /// The 32-bit hash of a string's UTF-8 bytes.
    public static func hash32(key: String, seed: UInt32 = 0) -> UInt32 {
        hash32Bytes(key: Array(key.utf8), maxBytes: key.utf8.count, seed: seed)
    }

    /// The 32-bit hash of the first characters of an array.
    public static func hash32CChar(key: [CChar], maxBytes: Int, seed: UInt32 = 0) -> UInt32 {
        hash32Bytes(key: key.map(UInt8.init(bitPattern:)), maxBytes: maxBytes, seed: seed)
    }

    /// The 32-bit hash of the first bytes of an array.
    public static func hash32Bytes(key: [UInt8], maxBytes: Int, seed: UInt32 = 0) -> UInt32 {
        key.withUnsafeBufferPointer { Bucketing.hash(first(maxBytes, of: $0), seed: seed) }
    }

    // MARK: 128 bits

    /// The 128-bit hash of the first `maxBytes` bytes at an address, all of which must be readable.
    public static func doHash128(
        key: UnsafePointer<UInt8>, maxBytes: Int, seed: UInt64 = 0
    ) -> (h1: UInt64, h2: UInt64) {
        MurmurHash128(UnsafeRawBufferPointer(start: key, count: max(maxBytes, 0)), seed: seed).value
    }

    /// The 128-bit hash of a string's UTF-8 bytes.
    public static func hash128(key: String, seed: UInt64 = 0) -> (h1: UInt64, h2: UInt64) {
        hash128Bytes(key: Array(key.utf8), maxBytes: key.utf8.count, seed: seed)
    }

    /// The 128-bit hash of the first characters of an array.
    public static func hash128CChar(key: [CChar], maxBytes: Int, seed: UInt64 = 0) -> (h1: UInt64, h2: UInt64) {
        hash128Bytes(key: key.map(UInt8.init(bitPattern:)), maxBytes: maxBytes, seed: seed)
    }

    /// The 128-bit hash of the first bytes of an array.
    public static func hash128Bytes(key: [UInt8], maxBytes: Int, seed: UInt64 = 0) -> (h1: UInt64, h2: UInt64) {
        key.withUnsafeBufferPointer { MurmurHash128(UnsafeRawBufferPointer(first(maxBytes, of: $0)), seed: seed).value }
    }

    private static func first(_ count: Int, of bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes.prefix(max(count, 0)))
    }
}

/// The 128-bit variant of MurmurHash3 for x64 (Austin Appleby, 2011, public domain algorithm).
struct MurmurHash128 {
    private var h1: UInt64
    private var h2: UInt64

    private static let c1: UInt64 = 0x87C3_7B91_1142_53D5
    private static let c2: UInt64 = 0x4CF5_AD43_2745_937F

    /// Hashes bytes, and reads none beyond them.
    init(_ bytes: UnsafeRawBufferPointer, seed: UInt64) {
        (h1, h2) = (seed, seed)
        var offset = 0
        while offset + 16 <= bytes.count {
            mix(Self.word(bytes, offset), Self.word(bytes, offset + 8))
            offset += 16
        }
        finish(UnsafeRawBufferPointer(rebasing: bytes[offset...]), length: bytes.count)
    }

    /// The two halves of the hash.
    var value: (h1: UInt64, h2: UInt64) { (h1, h2) }

    private mutating func mix(_ low: UInt64, _ high: UInt64) {
        h1 ^= Self.scrambleLow(low)
        h1 = (h1.rotatedLeft(27) &+ h2) &* 5 &+ 0x52DC_E729
        h2 ^= Self.scrambleHigh(high)
        h2 = (h2.rotatedLeft(31) &+ h1) &* 5 &+ 0x3849_5AB5
    }

    /// Takes in the fewer than sixteen bytes that are left, missing ones as zeros, and spreads every bit.
    private mutating func finish(_ tail: UnsafeRawBufferPointer, length: Int) {
        var (low, high): (UInt64, UInt64) = (0, 0)
        for (index, byte) in tail.enumerated() {
            if index < 8 { low |= UInt64(byte) << (index * 8) } else { high |= UInt64(byte) << ((index - 8) * 8) }
        }
        h1 ^= Self.scrambleLow(low) ^ UInt64(length)
        h2 ^= Self.scrambleHigh(high) ^ UInt64(length)
        h1 &+= h2
        h2 &+= h1
        h1 = Self.avalanche(h1)
        h2 = Self.avalanche(h2)
        h1 &+= h2
        h2 &+= h1
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func scrambleLow(_ word: UInt64) -> UInt64 { (word &* c1).rotatedLeft(31) &* c2 }
    private static func scrambleHigh(_ word: UInt64) -> UInt64 { (word &* c2).rotatedLeft(33) &* c1 }

    private static func avalanche(_ word: UInt64) -> UInt64 {
        var word = (word ^ word >> 33) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ word >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return word ^ word >> 33
    }
}

extension UInt64 {
    fileprivate func rotatedLeft(_ bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}
