/// Cryptography in Swift alone: it needs no library, and is the same on all systems.
package struct SwiftCryptography: Cryptography {
    /// Creates it.
    package init() {}

    package func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] { SHA256.authenticate(message, key: key) }

    package func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8] { SHA1.authenticate(message, key: key) }

    package func sha256(_ message: [UInt8]) -> [UInt8] { SHA256.hash(message) }

    // Not inlined: a caller that knows one of the values could make the loop end early.
    @inline(never)
    package func isEqualInConstantTime(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        var difference: UInt8 = 0
        for index in first.indices { difference |= first[index] ^ second[index] }
        return difference == 0
    }

    package func verifyBcrypt(_ password: [UInt8], hash: String) -> Bool {
        guard let hash = BcryptHash(hash) else { return false }
        return isEqualInConstantTime(hash.digest(of: password), hash.digest)
    }

    package func randomBytes(_ count: Int) -> [UInt8] {
        var system = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: 0...255, using: &system) }
    }
}
