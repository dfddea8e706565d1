/// Base64. (RFC 4648)
package enum Base64: Sendable {
    /// With `+`, `/` and padding.
    case standard
    /// With `-`, `_` and no padding, as in tokens and addresses.
    case urlSafe

    package func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(character(bits >> bitCount & 63))
            }
        }
        if bitCount > 0 { text.append(character(bits << (6 - bitCount) & 63)) }
        if self == .standard { while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) } }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text, with padding or without; nil if it is invalid.
    package func decode(_ text: some StringProtocol) -> [UInt8]? {
        var characters = Array(text.utf8)[...]
        // At most two.
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for character in characters {
            guard let value = value(character) else { return nil }
            bits = bits << 6 | value
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // The rest is less than a character, and zero.
        return bitCount < 6 && bits & (1 << bitCount - 1) == 0 ? bytes : nil
    }

    private func character(_ value: UInt32) -> UInt8 {
        switch value {
        case 0..<26: UInt8(value) + UInt8(ascii: "A")
        case 26..<52: UInt8(value - 26) + UInt8(ascii: "a")
        case 52..<62: UInt8(value - 52) + UInt8(ascii: "0")
        case 62: self == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-")
        default: self == .standard ? UInt8(ascii: "/") : UInt8(ascii: "_")
        }
    }

    private func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case self == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-"): 62
        case self == .standard ? UInt8(ascii: "/") : UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
