/// The cryptographic functions that tokens, client secrets and signatures need.
///
/// The server verifies the tokens and signatures of requests on the threads of its listener, and client secrets on
/// threads for blocking calls. Calls overlap. No function fails, and the results depend on the arguments alone. All
/// functions but ``verifyBcrypt(_:hash:)`` must return quickly, because other connections wait for the thread.
package protocol Cryptography: Sendable {
    /// The authentication code of a message: 32 bytes. (RFC 2104, FIPS 180-4)
    func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8]
    /// The authentication code of a message: 20 bytes. Only for signatures of a given format. (RFC 2104, FIPS 180-4)
    func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8]
    /// The hash of a message: 32 bytes. (FIPS 180-4)
    func sha256(_ message: [UInt8]) -> [UInt8]
    /// Whether two values are equal, in a time that depends on their lengths alone.
    func isEqualInConstantTime(_ first: [UInt8], _ second: [UInt8]) -> Bool
    /// Whether a password belongs to a hash such as `$2b$12$…`; false for text that is not a hash of bcrypt.
    ///
    /// Takes about a quarter of a second at cost 12, twice as long for each further unit. The server therefore calls it
    /// on threads for blocking calls, at most four at a time.
    func verifyBcrypt(_ password: [UInt8], hash: String) -> Bool
}
