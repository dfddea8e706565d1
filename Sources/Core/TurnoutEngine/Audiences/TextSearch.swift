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
