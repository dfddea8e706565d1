/// The cipher of bcrypt. (Schneier: Description of a New Variable-Length Key, 64-Bit Block Cipher, 1993)
struct Blowfish {
    /// 18 words of subkeys, then four boxes of 256 words.
    private var words = PiDigits.words
    private static let subkeyCount = 18

    /// Encrypts 8 bytes, most significant byte first.
    func encrypt(_ block: UInt64) -> UInt64 { words.withUnsafeBufferPointer { Self.encrypt(block, $0) } }

    /// Mixes a key, and a salt of 16 bytes, into the state. (`EksBlowfishSetup`'s `ExpandKey`)
    mutating func expand(key: [UInt8], salt: [UInt8] = []) {
        let salt = stride(from: 0, to: salt.count, by: 8).map { start in
            salt[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        words.withUnsafeMutableBufferPointer { words in
            var next = 0
            for index in 0..<Self.subkeyCount {
                var word: UInt32 = 0
                for _ in 0..<4 {
                    word = word << 8 | UInt32(key[next])
                    next = next + 1 == key.count ? 0 : next + 1
                }
                words[index] ^= word
            }
            var block: UInt64 = 0
            for index in stride(from: 0, to: words.count, by: 2) {
                if !salt.isEmpty { block ^= salt[index / 2 % 2] }
                block = Self.encrypt(block, UnsafeBufferPointer(words))
                words[index] = UInt32(truncatingIfNeeded: block >> 32)
                words[index + 1] = UInt32(truncatingIfNeeded: block)
            }
        }
    }

    @inline(__always)
    private static func encrypt(_ block: UInt64, _ words: UnsafeBufferPointer<UInt32>) -> UInt64 {
        var left = UInt32(truncatingIfNeeded: block >> 32)
        var right = UInt32(truncatingIfNeeded: block)
        for round in 0..<16 {
            left ^= words[round]
            let (first, second) = (words[18 &+ Int(left &>> 24)], words[274 &+ Int(left &>> 16 & 0xFF)])
            let (third, fourth) = (words[530 &+ Int(left &>> 8 & 0xFF)], words[786 &+ Int(left & 0xFF)])
            right ^= ((first &+ second) ^ third) &+ fourth
            swap(&left, &right)
        }
        return UInt64(right ^ words[17]) << 32 | UInt64(left ^ words[16])
    }
}
