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
