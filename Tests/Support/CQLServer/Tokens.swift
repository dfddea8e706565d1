/// The place of a partition on the ring, as the `Murmur3Partitioner` computes it.
enum Murmur3Partitioner {
    static let name = "org.apache.cassandra.dht.Murmur3Partitioner"

    private static let c1: UInt64 = 0x87C3_7B91_1142_53D5
    private static let c2: UInt64 = 0x4CF5_AD43_2745_937F

    /// The token of a partition key.
    static func token(of key: [UInt8]) -> Int64 {
        let token = Int64(bitPattern: hash(key).0)
        return token == .min ? .max : token
    }

    /// The 128-bit variant of MurmurHash3 for x64 with one difference of Cassandra's: the bytes after the last block of
    /// sixteen are extended with their sign.
    static func hash(_ key: [UInt8]) -> (UInt64, UInt64) {
        var (h1, h2): (UInt64, UInt64) = (0, 0)
        let blocks = key.count / 16
        for block in 0..<blocks {
            h1 ^= scrambleLow(word(key, block * 16))
            h1 = (rotate(h1, 27) &+ h2) &* 5 &+ 0x52DC_E729
            h2 ^= scrambleHigh(word(key, block * 16 + 8))
            h2 = (rotate(h2, 31) &+ h1) &* 5 &+ 0x3849_5AB5
        }
        var (low, high): (UInt64, UInt64) = (0, 0)
        for index in (blocks * 16)..<key.count {
            let byte = UInt64(bitPattern: Int64(Int8(bitPattern: key[index])))
            let place = index - blocks * 16
            if place < 8 { low ^= byte << (place * 8) } else { high ^= byte << ((place - 8) * 8) }
        }
        h1 ^= scrambleLow(low) ^ UInt64(key.count)
        h2 ^= scrambleHigh(high) ^ UInt64(key.count)
        h1 &+= h2
        h2 &+= h1
        h1 = avalanche(h1)
        h2 = avalanche(h2)
        h1 &+= h2
        h2 &+= h1
        return (h1, h2)
    }

    private static func word(_ key: [UInt8], _ offset: Int) -> UInt64 {
        key.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    }

    private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
    private static func scrambleLow(_ word: UInt64) -> UInt64 { rotate(word &* c1, 31) &* c2 }
    private static func scrambleHigh(_ word: UInt64) -> UInt64 { rotate(word &* c2, 33) &* c1 }

    private static func avalanche(_ word: UInt64) -> UInt64 {
        var word = (word ^ word >> 33) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ word >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return word ^ word >> 33
    }
}
