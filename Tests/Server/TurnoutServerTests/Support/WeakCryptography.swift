import TurnoutServer

/// Cryptography for tests that need no secrecy: codes depend on the key and on each byte.
struct WeakCryptography: Cryptography {
    func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] { code(key + message, count: 32) }
    func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8] { code(key + message, count: 20) }
    func sha256(_ message: [UInt8]) -> [UInt8] { code(message, count: 32) }
    func isEqualInConstantTime(_ first: [UInt8], _ second: [UInt8]) -> Bool { first == second }
    /// A password belongs to its own text.
    func verifyBcrypt(_ password: [UInt8], hash: String) -> Bool { Array(hash.utf8) == password }

    private func code(_ bytes: [UInt8], count: Int) -> [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (0..<count).map { index in
            hash = (hash ^ UInt64(index)) &* 0x100_0000_01B3
            return UInt8(truncatingIfNeeded: hash >> 32)
        }
    }
}
