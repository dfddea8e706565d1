import CServer

/// Cryptography by Nettle, which GnuTLS needs as well. It takes passwords as bytes. libcrypt takes C
/// strings, which end at a NUL, and the vendor's client secrets may contain one.
package struct NettleCryptography: Cryptography {
    package init() {}

    package func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        nettle_hmac_sha256_set_key(&context, key.count, key)
        nettle_hmac_sha256_update(&context, message.count, message)
        return Self.bytes(SHA256_DIGEST_SIZE) { nettle_hmac_sha256_digest(&context, $0, $1) }
    }

    package func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var context = hmac_sha1_ctx()
        nettle_hmac_sha1_set_key(&context, key.count, key)
        nettle_hmac_sha1_update(&context, message.count, message)
        return Self.bytes(SHA1_DIGEST_SIZE) { nettle_hmac_sha1_digest(&context, $0, $1) }
    }

    package func sha256(_ message: [UInt8]) -> [UInt8] {
        var context = sha256_ctx()
        nettle_sha256_init(&context)
        nettle_sha256_update(&context, message.count, message)
        return Self.bytes(SHA256_DIGEST_SIZE) { nettle_sha256_digest(&context, $0, $1) }
    }

    package func isEqualInConstantTime(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.count == second.count && nettle_memeql_sec(first, second, first.count) == 1
    }

    package func verifyBcrypt(_ password: [UInt8], hash: String) -> Bool {
        // A hash of cost 20 takes a minute; a mistyped one must not take a day.
        let parts = hash.split(separator: "$", omittingEmptySubsequences: false)
        guard hash.utf8.count == 60, parts.count == 4, let cost = Int(parts[2]), (4...20).contains(cost) else {
            return false
        }
        // Nettle reads one byte beyond the password, and compares the hash as a C string.
        return nettle_blowfish_bcrypt_verify(
            password.count, password + [0], hash.utf8.count, Array(hash.utf8) + [0]) == 1
    }

    private static func bytes(_ count: Int32, _ write: (Int, UnsafeMutablePointer<UInt8>?) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, written in
            write(Int(count), buffer.baseAddress)
            written = Int(count)
        }
    }
}
