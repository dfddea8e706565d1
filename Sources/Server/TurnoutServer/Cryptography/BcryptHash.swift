/// A hash of bcrypt, such as `$2b$12$` with 22 characters of salt and 31 of digest.
///
/// `crypt` of C libraries ends a password at its first zero byte, and so do not verify passwords of random bytes, of
/// which one in nine has a zero among 32. Here all bytes count, as in Go's implementation.
/// (Provos and Mazières: A Future-Adaptable Password Scheme, 1999)
struct BcryptHash {
    /// The 23 bytes that the password has to lead to.
    let digest: [UInt8]
    private let cost: Int
    private let salt: [UInt8]

    /// Each unit doubles the time, which is a minute at this cost.
    private static let highestCost = 20

    /// Reads a hash; nil if it is none, or its cost is not between 4 and 20.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(parts[1]), parts[2].utf8.count == 2,
            let cost = Int(parts[2]), (4...Self.highestCost).contains(cost), parts[3].utf8.count == 53,
            let salt = Self.decode(parts[3].utf8.prefix(22), count: 16),
            let digest = Self.decode(parts[3].utf8.dropFirst(22), count: 23)
        else { return nil }
        (self.cost, self.salt, self.digest) = (cost, salt, digest)
    }

    /// The bytes that a password leads to.
    func digest(of password: [UInt8]) -> [UInt8] {
        let key = password + [0]
        var cipher = Blowfish()
        cipher.expand(key: key, salt: salt)
        for _ in 0..<1 << cost {
            cipher.expand(key: key)
            cipher.expand(key: salt)
        }
        let words = stride(from: 0, to: 24, by: 8).flatMap { start -> [UInt32] in
            let text = Array("OrpheanBeholderScryDoubt".utf8)[start..<start + 8]
            var block = text.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            for _ in 0..<64 { block = cipher.encrypt(block) }
            return [UInt32(truncatingIfNeeded: block >> 32), UInt32(truncatingIfNeeded: block)]
        }
        let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
        return Array(bytes.prefix(23))
    }

    /// bcrypt has its own alphabet of Base64.
    private static let alphabet = Array("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    private static func decode(_ text: some Sequence<UInt8>, count: Int) -> [UInt8]? {
        var (bytes, bits, bitCount): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        return bytes.count == count ? bytes : nil
    }
}
