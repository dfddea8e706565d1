#if SQLite
    /// Ids of events that were removed, as ranges: events are removed from the front, so that there is hardly ever more
    /// than one.
    struct RemovedIDs {
        /// The oldest ranges go: who remembers each gap for ever grows for ever.
        private static let limit = 256
        /// Ascending and apart.
        private(set) var ranges: [ClosedRange<Int64>] = []

        func contains(_ id: Int64) -> Bool {
            let place = firstRange(endingAtOrAfter: id)
            return place < ranges.count && ranges[place].lowerBound <= id
        }

        /// Adds ids, and joins what has no gap between.
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
#endif
