// Swift's `==` and `<` take quadratic time for long runs of combining marks: a few kilobytes in an attribute would
// block a server. Therefore longer texts are compared by their bytes (Documentation/Decisions/0023).

/// The longest text, in UTF-8 bytes, that is compared as Swift does.
private let longestComparedText = 1_024

extension String {
    /// Whether both are equal in Swift, which considers both spellings of é equal; by bytes if either is longer than
    /// 1 KB.
    @inline(__always)
    func isEquivalent(to other: String) -> Bool {
        if utf8.count | other.utf8.count < 64 { return self == other }
        return isEquivalentLongText(to: other)
    }

    @inline(never)
    private func isEquivalentLongText(to other: String) -> Bool {
        let (shorter, longer) = (min(utf8.count, other.utf8.count), max(utf8.count, other.utf8.count))
        guard longer <= longestComparedText else { return hasSameBytes(as: other) }
        // In UTF-8, a decomposed string is at most three times as long, and at least a third.
        return longer <= 9 * shorter && self == other
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The order of two texts as in Swift: negative if this one is lower; by bytes if either is longer than 1 KB.
    func order(relativeTo other: Self) -> Int {
        if Swift.max(count, other.count) <= longestComparedText, !isASCII || !other.isASCII {
            let (left, right) = (String(decoding: self, as: UTF8.self), String(decoding: other, as: UTF8.self))
            // In Swift, some unequal strings are neither lower nor higher than each other: U+0308 and U+0344.
            return left < right ? -1 : left > right ? 1 : 0
        }
        var offset = 0
        while offset < count, offset < other.count {
            if self[offset] != other[offset] { return Int(self[offset]) - Int(other[offset]) }
            offset += 1
        }
        return count - other.count
    }

    private var isASCII: Bool { allSatisfy { $0 < 0x80 } }
}
