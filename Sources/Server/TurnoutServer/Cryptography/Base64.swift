/// Base64. (RFC 4648)
package enum Base64: Sendable {
    /// With `+`, `/` and padding.
    case standard
    /// With `-`, `_` and no padding, as in tokens and addresses.
    case urlSafe

    /// Encodes bytes.
    package func encode(_ bytes: some Collection<UInt8>) -> String {
        let alphabet = alphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(bits >> bitCount & 63)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
        if self == .standard { while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) } }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text, with padding or without; nil if it is invalid.
    package func decode(_ text: some StringProtocol) -> [UInt8]? {
        let alphabet = alphabet
        var characters = Array(text.utf8)
        let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        characters.removeLast(min(padding, 2))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for character in characters {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // The rest is less than a character, and zero.
        return bitCount < 6 && bits & (1 << bitCount - 1) == 0 ? bytes : nil
    }

    private var alphabet: [UInt8] {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        return Array((letters + (self == .standard ? "+/" : "-_")).utf8)
    }
}
