/// Finds all occurrences of a byte pattern in linear time.
///
/// Compares at every position, which is fastest for ordinary text. If that takes too long because of many partial
/// matches, it switches to the two-way algorithm (Crochemore and Perrin, 1991), which needs no memory.
struct ByteSearch {
    private let text: UnsafeBufferPointer<UInt8>
    private let part: UnsafeBufferPointer<UInt8>
    private var place = 0
    /// The number of bytes that matched at positions where the rest did not.
    private var wastedComparisons = 0
    private var twoWay: TwoWay?

    /// Prepares a search; `part` must not be empty.
    init(for part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) {
        self.text = text
        self.part = part
    }

    /// The offset of the next match, or nil. Matches may overlap.
    mutating func next() -> Int? {
        while twoWay == nil {
            guard let start = nextCandidate() else { return nil }
            let matched = matchedCount(at: start)
            if matched == part.count { return start }
            wastedComparisons += matched
            if wastedComparisons > 2 * place + 256 { twoWay = TwoWay(part, from: place) }
        }
        return twoWay?.next(in: text, part)
    }

    /// The next position of the first byte.
    @inline(__always)
    private mutating func nextCandidate() -> Int? {
        let first = part[0]
        while place + part.count <= text.count {
            defer { place += 1 }
            if text[place] == first { return place }
        }
        return nil
    }

    @inline(__always)
    private mutating func matchedCount(at start: Int) -> Int {
        var matched = 1
        while matched < part.count, text[start + matched] == part[matched] { matched += 1 }
        // A match counts as work too: the next one may overlap all but one byte of it.
        if matched == part.count {
            wastedComparisons += matched
            if wastedComparisons > 2 * place + 256 { twoWay = TwoWay(part, from: place) }
        }
        return matched
    }
}

/// The state of a two-way search.
private struct TwoWay {
    /// The number of bytes in the left half of the part, which is compared after the right one.
    private let split: Int
    private let shift: Int
    private let isPeriodic: Bool
    private var place: Int
    /// The number of leading bytes that are known to match.
    private var known = 0

    init(_ part: UnsafeBufferPointer<UInt8>, from place: Int) {
        self.place = place
        let (forward, backward) = (Self.maximalSuffix(part) { $0 < $1 }, Self.maximalSuffix(part) { $0 > $1 })
        let (split, period) = forward.start > backward.start ? forward : backward
        self.split = split
        isPeriodic = split + period <= part.count && (0..<split).allSatisfy { part[$0] == part[$0 + period] }
        shift = isPeriodic ? period : max(split, part.count - split) + 1
    }

    mutating func next(in text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>) -> Int? {
        while place + part.count <= text.count {
            var index = max(split, known)
            while index < part.count, part[index] == text[place + index] { index += 1 }
            guard index == part.count else {
                place += index - split + 1
                known = 0
                continue
            }
            index = split
            while index > known, part[index - 1] == text[place + index - 1] { index -= 1 }
            let start = place
            let isMatch = index <= known
            place += shift
            known = isPeriodic ? part.count - shift : 0
            if isMatch { return start }
        }
        return nil
    }

    /// The start and the period of the maximal suffix under an ordering.
    private static func maximalSuffix(
        _ part: UnsafeBufferPointer<UInt8>, _ precedes: (UInt8, UInt8) -> Bool
    ) -> (start: Int, period: Int) {
        var (start, candidate, offset, period) = (0, 1, 0, 1)
        while candidate + offset < part.count {
            let (byte, best) = (part[candidate + offset], part[start + offset])
            if precedes(byte, best) {
                candidate += offset + 1
                offset = 0
                period = candidate - start
            } else if byte == best {
                if offset + 1 == period {
                    candidate += period
                    offset = 0
                } else {
                    offset += 1
                }
            } else {
                start = candidate
                candidate += 1
                (offset, period) = (0, 1)
            }
        }
        return (start, period)
    }
}
