#if Memcached
    /// The key that a user's profile has in memcached: visible ASCII, up to 250 bytes.
    enum ProfileKey {
        static let longestPrefix = 128
        private static let longestKey = 250
        /// Begins what is not the id itself.
        private static let mark = UInt8(ascii: "#")

        /// Whether memcached takes a byte in a key.
        static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

        /// The prefix and the id, or a fingerprint of an id that is too long or not all visible ASCII.
        static func text(of userID: String, prefix: String) -> String {
            let id = userID.utf8
            let isPlain =
                !id.isEmpty && id.first != mark && prefix.utf8.count + id.count <= longestKey
                && id.allSatisfy(isVisible)
            return prefix + (isPlain ? userID : "#" + fingerprint(userID))
        }

        /// 128 bits, so that users do not meet by chance. Who makes two ids meet on purpose gains nothing: profiles say
        /// whose they are.
        private static func fingerprint(_ userID: String) -> String {
            (0..<4).map { part in
                let digits = String(Connection.hash("\(part)" + userID), radix: 16)
                return String(repeating: "0", count: 8 - digits.count) + digits
            }.joined()
        }
    }
#endif
