/// Expected values are from an independent implementation in Python, which gives the published checksums.
@Suite(.ownThread) struct MurmurHash3Tests {
    private struct Vector {
        let text: String
        let seed: UInt32
        let hash32: UInt32
        let h1: UInt64
        let h2: UInt64
    }

    private static let vectors = [
        Vector(text: "", seed: 0, hash32: 0, h1: 0, h2: 0),
        Vector(text: "", seed: 1, hash32: 0x514e_28b7, h1: 0x4610_abe5_6eff_5cb5, h2: 0x5162_2daa_78f8_3583),
        Vector(text: "a", seed: 0, hash32: 0x3c25_69b2, h1: 0x8555_5565_f659_7889, h2: 0xe6b5_3a48_510e_895a),
        Vector(text: "hello", seed: 0, hash32: 0x248b_fa47, h1: 0xcbd8_a7b3_41bd_9b02, h2: 0x5b1e_906a_48ae_1d19),
        Vector(
            text: "hello, world", seed: 123, hash32: 0xea71_91b2, h1: 0x2fed_885f_ccfe_9dc1, h2: 0xdb99_c2aa_78f1_93e5),
        Vector(
            text: "The quick brown fox jumps over the lazy dog", seed: 0x9747_b28c, hash32: 0x2fa8_26cd,
            h1: 0x738a_7f3b_d263_3121, h2: 0xf945_7372_7ec0_16e5),
        Vector(
            text: "Grüße, 世界", seed: 1, hash32: 0x932f_ee99, h1: 0x2676_f5b8_1e8d_b888, h2: 0x351e_392b_de69_46c7),
        Vector(
            text: "0123456789abcdef", seed: 0, hash32: 0x36c7_e0df, h1: 0x4be0_6d94_cf4a_d1a7,
            h2: 0x87c3_5b5c_63a7_08da),
        Vector(
            text: "0123456789abcdefg", seed: 7, hash32: 0x6f43_becb, h1: 0x792d_7b2e_d7b0_34ea,
            h2: 0x1397_64e0_c8b0_0f0c),
    ]

    @Test func allFormsOfAKeyHaveTheSameHash() {
        for vector in Self.vectors {
            let bytes = Array(vector.text.utf8)
            let characters = bytes.map(CChar.init(bitPattern:))
            let wide = UInt64(vector.seed)
            #expect(MurmurHash3.hash32(key: vector.text, seed: vector.seed) == vector.hash32)
            #expect(MurmurHash3.hash32Bytes(key: bytes, maxBytes: bytes.count, seed: vector.seed) == vector.hash32)
            #expect(MurmurHash3.hash32CChar(key: characters, maxBytes: bytes.count, seed: vector.seed) == vector.hash32)
            #expect(MurmurHash3.doHash32(key: bytes, maxBytes: bytes.count, seed: vector.seed) == vector.hash32)
            let expected = (vector.h1, vector.h2)
            #expect(MurmurHash3.hash128(key: vector.text, seed: wide) == expected)
            #expect(MurmurHash3.hash128Bytes(key: bytes, maxBytes: bytes.count, seed: wide) == expected)
            #expect(MurmurHash3.hash128CChar(key: characters, maxBytes: bytes.count, seed: wide) == expected)
            #expect(MurmurHash3.doHash128(key: bytes, maxBytes: bytes.count, seed: wide) == expected)
        }
    }

    @Test func theChecksumsArePublished() {
        let keys = (0..<256).map { count in (0..<count).map { UInt8($0) } }
        let hashes32 = keys.enumerated().flatMap { index, key in
            littleEndian(MurmurHash3.hash32Bytes(key: key, maxBytes: key.count, seed: UInt32(256 - index)))
        }
        #expect(MurmurHash3.hash32Bytes(key: hashes32, maxBytes: hashes32.count) == 0xb0f5_7ee3)
        let hashes128 = keys.enumerated().flatMap { index, key in
            let (h1, h2) = MurmurHash3.hash128Bytes(key: key, maxBytes: key.count, seed: UInt64(256 - index))
            return littleEndian(h1) + littleEndian(h2)
        }
        let checksum = MurmurHash3.hash128Bytes(key: hashes128, maxBytes: hashes128.count)
        #expect(UInt32(truncatingIfNeeded: checksum.h1) == 0x6384_ba69)
    }

    @Test func nothingBeyondTheArrayIsHashed() {
        let bytes = Array("hello".utf8)
        #expect(MurmurHash3.hash32Bytes(key: bytes, maxBytes: 500) == MurmurHash3.hash32(key: "hello"))
        #expect(MurmurHash3.hash128Bytes(key: bytes, maxBytes: 500) == MurmurHash3.hash128(key: "hello"))
        #expect(MurmurHash3.hash32Bytes(key: bytes, maxBytes: 4) == MurmurHash3.hash32(key: "hell"))
        #expect(MurmurHash3.hash128Bytes(key: bytes, maxBytes: -1) == MurmurHash3.hash128(key: ""))
    }

    private func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
