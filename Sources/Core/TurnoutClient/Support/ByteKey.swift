/// A string that is compared by its bytes, as in bucketing, databases and servers. `String` considers strings equal
/// that differ only in composed and decomposed letters, and as a key would merge two users.
///
/// Its hash is computed once, for all locks and tables that use it.
package struct ByteKey: Hashable, Sendable {
    package let text: String
    /// The hash of all bytes. Random for each process.
    package let fingerprint: UInt64

    /// Computes the hash; about 5 ns for an id of usual length.
    @inline(__always)
    package init(_ text: String) {
        self.text = text
        fingerprint = text.withExactBytes { Self.fingerprint(of: $0) }
    }

    @inline(__always)
    package static func == (left: ByteKey, right: ByteKey) -> Bool {
        left.fingerprint == right.fingerprint
            && left.text.withExactBytes { left in right.text.withExactBytes { MemoryComparison.isEqual(left, $0) } }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// The requirement that `Dictionary` and `Set` use. The default based on `hash(into:)` would take longer than the
    /// rest of a lookup, and the fingerprint is as good: it depends on every byte and on a random seed.
    @inline(__always)
    package func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: fingerprint) ^ seed }

    // MARK: The hash

    /// Random, so that colliding ids cannot be constructed.
    private static let seed = UInt64.random(in: .min ... .max)

    /// The hash of ``TurnoutEngine``'s names over any bytes, which takes a tenth of the time of `Hasher`.
    private static func fingerprint(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        let seed = seed
        // The seed is part of both factors: with a known factor, strings could be crafted for which it is zero.
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

    /// The last eight bytes, or all of them: together with the length and the preceding words they distinguish strings.
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

    /// Both halves of the 128-bit product, so every bit of the input affects every bit of the result.
    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension String {
    /// Calls `body` with the bytes of the string, without copying them if possible.
    @inline(__always)
    fileprivate func withExactBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension [String] {
    /// The distinct strings, in lists without canonically equivalent elements, so that each list fits a dictionary
    /// keyed by string: the first of equal strings is in the first list, the second in the second. There is nearly
    /// always one list; none for an empty array.
    package var bySpelling: [[String]] {
        var lists: [[String]] = []
        var seen: Set<ByteKey> = []
        var spellings: [String: Int] = [:]
        for text in self where seen.insert(ByteKey(text)).inserted {
            let number = spellings[text, default: 0]
            spellings[text] = number + 1
            if number == lists.count { lists.append([]) }
            lists[number].append(text)
        }
        return lists
    }
}
