/// Ids of removed events, as ranges. Events are removed from the front, each delivery request taking some of the
/// oldest ones; the ranges of completed requests merge into one.
struct RemovedIDs {
    /// Bounds the memory: beyond it the oldest ranges are forgotten.
    private static let limit = 8_192
    /// Ascending and disjoint.
    private(set) var ranges: [ClosedRange<Int64>] = []

    func contains(_ id: Int64) -> Bool {
        let place = firstRange(endingAtOrAfter: id)
        return place < ranges.count && ranges[place].lowerBound <= id
    }

    /// Adds ids, and merges adjacent ranges.
    mutating func add(_ ids: ClosedRange<Int64>) {
        let first = firstRange(endingAtOrAfter: ids.lowerBound - 1)
        var (last, joined) = (first, ids)
        while last < ranges.count, ranges[last].lowerBound <= ids.upperBound + 1 {
            joined =
                min(joined.lowerBound, ranges[last].lowerBound)...max(joined.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [joined])
        if ranges.count > Self.limit { ranges.removeFirst() }
    }

    private func firstRange(endingAtOrAfter id: Int64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
