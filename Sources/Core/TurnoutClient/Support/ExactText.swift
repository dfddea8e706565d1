/// A text that is told apart by its bytes, as by bucketing, databases and servers. `String` calls two texts equal that
/// differ in composed and decomposed letters, and as a key would take two users for one.
///
/// Its hash is worked out once, for all the locks and tables that it is looked up in.
package struct ExactText: Hashable, Sendable {
    package let text: String
    /// Of all bytes. Differs from process to process.
    package let fingerprint: UInt64

    /// Works out the hash; some 5 ns for an id of usual length.
    @inline(__always)
    package init(_ text: String) {
        self.text = text
        fingerprint = text.withExactBytes { Self.fingerprint(of: $0) }
    }

    @inline(__always)
    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.fingerprint == right.fingerprint
            && left.text.withExactBytes { left in right.text.withExactBytes { Memory.isEqual(left, $0) } }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// What `Dictionary` and `Set` ask for. Made from `hash(into:)` it would take longer than all the rest of a
    /// look-up, and the fingerprint is as good: it depends on every byte, and on chance.
    @inline(__always)
    package func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: fingerprint) ^ seed }

    // MARK: The hash

    /// Chosen by chance, so that nobody can make ids that collide.
    private static let seed = UInt64.random(in: .min ... .max)

    /// That of ``TurnoutEngine``'s names, which takes a tenth of the time of `Hasher`, over any bytes.
    private static func fingerprint(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        let seed = seed
        // The seed goes into both factors: were one of them known, texts could be made for which it is zero.
        let spread = seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xD1B5_4A32_D192_ED03
        let count = bytes.count
        var hash = seed ^ (UInt64(truncatingIfNeeded: count) &* 0xA076_1D64_78BD_642F)
        var offset = 0
        while offset + 8 < count {
            hash = fold(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), spread)
            offset += 8
        }
        return fold(fold(hash ^ last(of: bytes), spread), seed ^ 0x2D35_8DCC_AA6C_78A5)
    }

    /// The last eight bytes, or what there is: with the length, and the words before, they tell texts apart.
    @inline(__always)
    private static func last(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        let count = bytes.count
        if count >= 8 { return bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) }
        if count >= 4 {
            let low = UInt64(bytes.loadUnaligned(as: UInt32.self))
            return low | UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)) << 32
        }
        guard count > 0 else { return 0 }
        return UInt64(bytes[0]) | UInt64(bytes[count >> 1]) << 8 | UInt64(bytes[count - 1]) << 16
    }

    /// Both halves of the 128-bit product, so that every bit of the input moves every bit of the result.
    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension String {
    /// Calls `body` with the bytes of the text, where they are if possible.
    @inline(__always)
    fileprivate func withExactBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension [String] {
    /// The texts, each once, in lists that a dictionary with texts as keys has room for: of those that `String` calls
    /// equal the first is in the first list, the second in the second. Nearly always there is one list; none for none.
    package var bySpelling: [[String]] {
        var lists: [[String]] = []
        var seen: Set<ExactText> = []
        var spellings: [String: Int] = [:]
        for text in self where seen.insert(ExactText(text)).inserted {
            let number = spellings[text, default: 0]
            spellings[text] = number + 1
            if number == lists.count { lists.append([]) }
            lists[number].append(text)
        }
        return lists
    }
}
