import TurnoutEngine

extension TrafficAllocation {
    /// Divides a share of traffic by weights, in whole buckets that add up to the share.
    ///
    /// Weights that are bucket counts themselves are taken as they are. Otherwise a key's exact share is rounded down
    /// or up, so that all add up, and so that as few users as possible leave their key: a key keeps its present count
    /// if that is one of both roundings, and a paused key the count that it had. Without such counts the largest
    /// remainders are rounded up.
    ///
    /// - Complexity: O(k log k) for k weights.
    package func targets(of share: TrafficShare, by weights: [(key: String, weight: Int)]) -> [Target] {
        let total = min(max(share.buckets, 0), Bucketing.bucketCount)
        let present = pausedCounts.merging(counts) { _, active in active }
        var quotas = weights.map { Quota(present: present[$0.key] ?? 0, weight: $0.weight) }
        let sum = quotas.reduce(0) { $0 + $1.weight }
        guard sum > 0 else { return weights.map { Target($0.key, 0) } }
        for index in quotas.indices { quotas[index].divide(total, by: sum) }
        let surplus = quotas.reduce(0) { $0 + $1.count } - total
        let step = surplus > 0 ? -1 : 1
        // The sort is by more than remainders: rounding alone could take a bucket from a key although all keys grow.
        let order = quotas.indices.filter { step > 0 || quotas[$0].count > 0 }.sorted { left, right in
            let (first, second) = (quotas[left].rank(step), quotas[right].rank(step))
            return first == second ? left < right : first < second
        }
        for index in order.prefix(abs(surplus)) { quotas[index].count += step }
        return zip(weights, quotas).map { Target($0.key, $1.count) }
    }

    /// The exact share of a key, and the whole number of buckets that it gets.
    private struct Quota {
        let present: Int
        let weight: Int
        var count = 0
        /// How far the count exceeds the exact share, times the sum of the weights.
        private var excess = 0

        init(present: Int, weight: Int) {
            self.present = present
            // A limit far above any sensible weight keeps the arithmetic within 64 bits.
            self.weight = min(max(weight, 0), 100_000_000)
        }

        mutating func divide(_ total: Int, by sum: Int) {
            let (low, remainder) = (total * weight).quotientAndRemainder(dividingBy: sum)
            count = min(max(present, low), remainder == 0 ? low : low + 1)
            excess = count == low ? -remainder : sum - remainder
        }

        /// Lower ranks change first: counts that no user leaves by the step, then those furthest from the exact share.
        func rank(_ step: Int) -> (Int, Int) {
            let isFree = step < 0 ? count > present : count < present
            return (isFree ? 0 : 1, step < 0 ? -excess : excess)
        }
    }
}
