/// The search of the `substring` match.
///
/// Case matters, canonically equivalent spellings match, a letter does not match an accented one, and the empty string
/// is not contained in any string. This is the behavior of Foundation's search, which the vendor's client uses;
/// Swift's own `contains` differs. The engine does not import Foundation; its tests compare the two. Unlike
/// Foundation's, this search matches only equal bytes in texts of more than 64 KB that are not ASCII, so that no
/// attribute, whatever its size and content, delays a decision.
///
/// - Complexity: O(n) in the length of the text, for all inputs.
enum TextSearch {
    /// The longest text, in UTF-8 bytes, that is searched for equivalent spellings. Searching it for a short part takes
    /// up to a millisecond.
    private static let longestNormalizedText = 65_536

    static func contains(_ text: String, _ part: String) -> Bool {
        guard !part.isEmpty else { return false }
        return text.withBytes { bytes in
            guard !bytes.isASCII else { return contains(ascii: bytes, part) }
            return part.withBytes { wanted in
                containsSpelled(bytes, wanted)
                    || bytes.count <= longestNormalizedText && containsEquivalent(bytes, wanted)
            }
        }
    }

    private static func contains(ascii text: UnsafeBufferPointer<UInt8>, _ part: String) -> Bool {
        part.withBytes { wanted in
            if wanted.isASCII {
                var search = ByteSearch(for: wanted, in: text)
                return search.next() != nil
            }
            return part.asciiTwin.map { contains(ascii: text, $0) } ?? false
        }
    }

    /// Searches for the part's exact bytes. A match may start anywhere.
    private static func containsSpelled(
        _ bytes: UnsafeBufferPointer<UInt8>, _ wanted: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let tables = CanonicalTables.shared
        var search = ByteSearch(for: wanted, in: bytes)
        while let start = search.next() {
            if bytes.canEndMatch(at: start + wanted.count, tables) { return true }
        }
        return false
    }

    /// Searches for the part in another spelling, from the start of a segment to the end of one.
    ///
    /// Uses the algorithm of Knuth, Morris and Pratt on canonically decomposed strings.
    private static func containsEquivalent(
        _ bytes: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // In UTF-8, a decomposed string is at most three times as long, and at least a third.
        guard part.count <= 9 * bytes.count else { return false }
        // An ASCII part has no other spelling, except for three characters.
        guard !part.isASCII || bytes.hasASCIITwins else { return false }
        let tables = CanonicalTables.shared
        let wanted = Decomposed(part)
        var scalars = CanonicalScalars(bytes)
        let continuesSegment = tables.continuesSegment(wanted.scalars[0])
        var matched = 0
        var seen = 0
        while let scalar = scalars.next() {
            matched = wanted.matchedCount(after: matched, scalar)
            seen += 1
            guard matched == wanted.scalars.count, let end = scalars.segmentStart else { continue }
            // Only the first segment of a text can start with a scalar that continues a segment.
            guard !continuesSegment || seen == matched else { continue }
            if bytes.canEndMatch(at: end, tables) { return true }
        }
        return false
    }
}

private struct Decomposed {
    private(set) var scalars: [UInt32] = []
    /// For each number of matched scalars, how many remain matched when the next one does not match.
    private var fallbacks: [Int32] = [0, 0]

    init(_ part: UnsafeBufferPointer<UInt8>) {
        scalars.reserveCapacity(part.count)
        fallbacks.reserveCapacity(part.count + 1)
        var source = CanonicalScalars(part)
        while let scalar = source.next() { scalars.append(scalar) }
        var matched = 0
        for scalar in scalars.dropFirst() {
            while matched > 0, scalars[matched] != scalar { matched = Int(fallbacks[matched]) }
            if scalars[matched] == scalar { matched += 1 }
            fallbacks.append(Int32(matched))
        }
    }

    @inline(__always)
    func matchedCount(after matched: Int, _ scalar: UInt32) -> Int {
        var matched = matched
        while matched == scalars.count || scalars[matched] != scalar {
            guard matched > 0 else { return 0 }
            matched = Int(fallbacks[matched])
        }
        return matched + 1
    }
}
