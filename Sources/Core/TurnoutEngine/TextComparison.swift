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

extension Unicode.Scalar {
    /// Whether the reference trims the character from ids and keys: it is in Foundation's `CharacterSet.whitespaces`.
    var isBlank: Bool {
        switch value {
        case 0x09, 0x20, 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }
}

extension String {
    /// The string without leading and trailing blanks: tabs and spaces of any width.
    package var trimmingBlanks: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isBlank }),
            let last = scalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(scalars[first...last])
    }
}

/// The search of the `substring` match.
///
/// Compares bytes, as the vendor's Python, Java and Go clients do. The empty string is not contained in any string, as
/// in its Swift client.
///
/// - Complexity: O(n) in the length of the text, for all inputs.
enum TextSearch {
    static func contains(_ text: String, _ part: String) -> Bool {
        guard !part.isEmpty else { return false }
        return text.withBytes { text in part.withBytes { contains(text, $0) } }
    }

    /// Compares at every position, which is fastest for ordinary text, until that takes too long because of many
    /// partial matches.
    private static func contains(_ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count >= part.count else { return false }
        let first = part[0]
        var wastedComparisons = 0
        for start in 0...text.count - part.count where text[start] == first {
            var matched = 1
            while matched < part.count, text[start + matched] == part[matched] { matched += 1 }
            if matched == part.count { return true }
            wastedComparisons += matched
            if wastedComparisons > 2 * start + 256 { return containsInLinearTime(text[(start + 1)...], part) }
        }
        return false
    }

    /// Uses the algorithm of Knuth, Morris and Pratt.
    private static func containsInLinearTime(
        _ text: Slice<UnsafeBufferPointer<UInt8>>, _ part: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // For each number of matched bytes, how many remain matched when the next one does not match.
        var fallbacks = [0, 0]
        func matchedCount(after count: Int, _ byte: UInt8) -> Int {
            var count = count
            while count > 0, part[count] != byte { count = fallbacks[count] }
            return part[count] == byte ? count + 1 : 0
        }
        for byte in part.dropFirst() { fallbacks.append(matchedCount(after: fallbacks[fallbacks.count - 1], byte)) }
        var matched = 0
        for byte in text {
            matched = matchedCount(after: matched, byte)
            if matched == part.count { return true }
        }
        return false
    }
}
