/// The key of a user's profile in memcached: visible ASCII, up to 250 bytes.
enum ProfileKey {
    static let longestPrefix = 128
    private static let longestKey = 250
    /// Marks a fingerprint in place of an id.
    private static let mark = UInt8(ascii: "#")

    /// Whether memcached accepts a byte in a key.
    static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    /// The prefix and the id, or a fingerprint of an id that is too long or not all visible ASCII.
    static func text(of userID: String, prefix: String) -> String {
        let id = userID.utf8
        let isPlain =
            !id.isEmpty && id.first != mark && prefix.utf8.count + id.count <= longestKey
            && id.allSatisfy(isVisible)
        return prefix + (isPlain ? userID : "#" + fingerprint(userID))
    }

    /// 128 bits, enough to avoid accidental collisions. Deliberate collisions have no effect: a profile contains the id
    /// of its user.
    private static func fingerprint(_ userID: String) -> String {
        (0..<4).map { part in
            let digits = String(MD5.prefix(of: "\(part)" + userID), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }
}
