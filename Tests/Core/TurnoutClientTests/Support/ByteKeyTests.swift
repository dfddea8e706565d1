/// Keys are equal if their bytes are.
@Suite struct ByteKeyTests {
    @Test func equivalentSpellingsAreDistinct() {
        #expect("\u{E9}" == "e\u{301}")
        #expect(ByteKey("\u{E9}") != ByteKey("e\u{301}"))
        #expect(ByteKey("\u{212A}") != ByteKey("K"))
        #expect(ByteKey("e\u{301}") == ByteKey(["e", "\u{301}"].joined()))
    }

    /// Every byte of a text of any length is significant, and so is the length.
    @Test func everyByteIsCompared() {
        var texts: Set<ByteKey> = []
        var fingerprints: Set<UInt64> = []
        for length in 0...40 {
            for place in 0..<max(1, length) {
                for letter in ["b", "\0"] {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    if place < length { bytes[place] = letter.utf8.first ?? 0 }
                    let text = ByteKey(String(decoding: bytes, as: UTF8.self))
                    texts.insert(text)
                    fingerprints.insert(text.fingerprint)
                    #expect(text == ByteKey(String(decoding: bytes, as: UTF8.self)))
                }
            }
        }
        #expect(texts.count == 1 + 2 * 820 && fingerprints.count == texts.count)
    }

    @Test func idsAreSpreadOverAllShards() {
        let shards = Sharded(capacity: 16) { _ in 0 }
        for number in 0..<16_000 {
            shards.withLock(of: ByteKey("user \(number) of shop 17").fingerprint) { $0 += 1 }
        }
        #expect(shards.shards.allSatisfy { 800...1_200 ~= $0.state.withLock { $0 } })
    }

    @Test func listsHaveRoomForEachSpelling() {
        let texts = ["\u{E9}", "a", "e\u{301}", "a", "\u{E9}", "b"]
        let lists = texts.bySpelling.map { $0.map { Array($0.unicodeScalars) } }
        #expect(lists == [["\u{E9}", "a", "b"], ["e\u{301}"]].map { $0.map { Array($0.unicodeScalars) } })
        #expect([String]().bySpelling.isEmpty)
    }
}
