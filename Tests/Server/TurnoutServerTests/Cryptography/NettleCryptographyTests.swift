import TestSupport
import TurnoutServer

@Suite("Cryptography")
struct NettleCryptographyTests {
    private let cryptography = NettleCryptography()

    private func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    /// Examples of FIPS 180-4, and lengths around those of blocks.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]) func hashesAreThoseOfTheStandard(text: String, hash: String) {
        #expect(hex(cryptography.sha256(Array(text.utf8))) == hash)
    }

    /// The examples of RFC 4231 (SHA-256) and RFC 2202 (SHA-1): a short key, a long one, one of the block's length.
    @Test func authenticationCodesAreThoseOfTheStandards() {
        let message = Array("what do ya want for nothing?".utf8)
        #expect(
            hex(cryptography.hmacSHA256(message, key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(cryptography.hmacSHA1(message, key: Array("Jefe".utf8))) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        let long = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            hex(cryptography.hmacSHA256(long, key: Array(repeating: 0xAA, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        #expect(
            hex(cryptography.hmacSHA1(long, key: Array(repeating: 0xAA, count: 80)))
                == "aa4ae5e15272d00e95705637ce8a3b55ed402112")
    }

    /// All lengths of the last block, hashed once more in one.
    @Test func everyLengthIsPadded() {
        let hashes = (0..<200).flatMap { cryptography.sha256(Array(repeating: UInt8($0), count: $0)) }
        #expect(hex(cryptography.sha256(hashes)) == "6f979b0f53f1f6efc88ce8829b3e9c0d7711e102a3cfe31394c5d6c3232047ad")
        let codes = (0..<200).flatMap {
            cryptography.hmacSHA1(Array(repeating: UInt8($0), count: $0), key: [UInt8($0)])
        }
        #expect(hex(cryptography.sha256(codes)) == "eb6ed9b9a6697a72ed35fe4dd264701920ce3cba052edb08e42b2b092222220d")
    }

    @Test func equalityDependsOnAllBytes() {
        #expect(cryptography.isEqualInConstantTime([], []))
        #expect(cryptography.isEqualInConstantTime([1, 2, 3], [1, 2, 3]))
        #expect(!cryptography.isEqualInConstantTime([1, 2, 3], [1, 2]))
        for index in 0..<3 {
            var other: [UInt8] = [1, 2, 3]
            other[index] ^= 0x80
            #expect(!cryptography.isEqualInConstantTime([1, 2, 3], other))
        }
    }

    // MARK: bcrypt

    /// Made with another implementation: passwords of text, of random bytes with zeros, and of the maximum length.
    @Test(arguments: [
        (Array("U*U".utf8), "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ([], "$2b$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq"),
        (Array("a".utf8), "$2b$04$abcdefghijklmnopqrstuuMFdJu9yVgmagVAIC24fOZkaFqd3s9JC"),
        (Array("password ä".utf8), "$2y$04$abcdefghijklmnopqrstuuqlKV99XLdwcbQYp7kIhfP0vAxVF71yG"),
        ([1, 2, 0, 3] + Array(0..<28), "$2b$04$abcdefghijklmnopqrstuuq6CCMlvZE9HW4x7kQYWVL.kMGyAOkwK"),
        (Array(repeating: 120, count: 72), "$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i"),
    ]) func aPasswordBelongsToItsHash(password: [UInt8], hash: String) {
        #expect(cryptography.verifyBcrypt(password, hash: hash))
        #expect(!cryptography.verifyBcrypt(password + [1], hash: hash) || password.count == 72)
        #expect(!cryptography.verifyBcrypt([7] + password, hash: hash))
    }

    @Test(.thorough) func aClientSecretBelongsToItsHash() {
        let hash = "$2a$12$abcdefghijklmnopqrstuu3ieb3UyKtj1QldNwBTs7fpEBAqXG7zK"
        #expect(cryptography.verifyBcrypt(Array(0..<32), hash: hash))
        #expect(!cryptography.verifyBcrypt(Array(1..<33), hash: hash))
    }

    @Test(arguments: [
        "", "$", "plain", "$2b$04$", "$1$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq",
        "$2b$03$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq",
        "$2b$31$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq",
        "$2b$-4$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq",
        "$2b$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxji",
        "$2b$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiqq",
        "$2b$04$abcdefghijklmnopqrstu+byCG3zY1GIXMyxfivm.ClDiInHzxjiq",
    ]) func otherTextIsNotAHash(text: String) { #expect(!cryptography.verifyBcrypt([], hash: text)) }
}
