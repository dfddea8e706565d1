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
