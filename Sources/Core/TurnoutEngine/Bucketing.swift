/// Assigns users to buckets 0 to 9,999: evenly, and always the same bucket for the same user and entity.
///
/// The bucket is `hash · 10000 / 2^32`, rounded down, where the hash is MurmurHash3 with seed 1 over the bytes of the
/// bucketing id followed by those of the entity's id. The entity is a rule, a holdout or a mutual-exclusion group. Its
/// id is part of the input, so a user's buckets in two experiments are independent.
public struct Bucketing: Sendable {
    /// The number of buckets. Ends of ranges in a datafile are in these units: one bucket is 0.01 % of traffic.
    public static let bucketCount = 10_000

    private let prefix: MurmurHasher
    /// A number that distributes users evenly.
    let stripe: UInt8

    /// Prepares the bucketing of one user.
    ///
    /// - Parameter bucketingID: The user's id, or the string that replaces it. It is hashed as UTF-8 without
    ///   normalization: composed and decomposed é are different users.
    public init(bucketingID: String) {
        var prefix = MurmurHasher(seed: 1)
        prefix.append(bucketingID)
        self.prefix = prefix
        stripe = UInt8(truncatingIfNeeded: prefix.value)
    }

    /// The user's hash for an entity.
    public func hash(entityID: String) -> UInt32 {
        var hash = prefix
        hash.append(entityID)
        return hash.value
    }

    /// The MurmurHash3 hash of any bytes, in the 32-bit variant for x86.
    package static func hash(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt32) -> UInt32 {
        var hash = MurmurHasher(seed: seed)
        hash.append(bytes)
        return hash.value
    }

    /// The user's bucket for an entity, 0 to 9,999.
    public func bucket(entityID: String) -> Int {
        Self.bucket(of: hash(entityID: entityID))
    }

    /// The bucket as Optimizely's Objective-C client computed it. It used the string's length in UTF-16 for its length
    /// in UTF-8, and so hashed only the beginning of non-ASCII strings. For programs whose users must keep their
    /// buckets.
    package static func truncatedBucket(bucketingID: String, entityID: String) -> Int {
        let text = bucketingID + entityID
        return bucket(of: Array(text.utf8.prefix(text.utf16.count)).withUnsafeBufferPointer { hash($0, seed: 1) })
    }

    @inline(__always)
    private static func bucket(of hash: UInt32) -> Int {
        // The product is below 2^46, so integers give exactly the result of the floating-point formula.
        Int((UInt64(hash) * UInt64(bucketCount)) >> 32)
    }
}

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

extension BinaryInteger {
    /// The number as hexadecimal digits, with zeros in front of fewer than `width`.
    package func hexadecimal(width: Int, uppercase: Bool = false) -> String {
        let digits = String(self, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
