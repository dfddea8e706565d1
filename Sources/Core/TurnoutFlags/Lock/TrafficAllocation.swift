import TurnoutEngine

extension TrafficAllocation {
    /// How many buckets a key has.
    package struct Target: Sendable, Equatable {
        package var key: String
        package var count: Int

        package init(_ key: String, _ count: Int) {
            self.key = key
            self.count = count
        }
    }

    /// The number of buckets for each key; that of the empty key is missing, and paused ranges do not count.
    package var counts: [String: Int] { counts(isPaused: false) }

    /// The number of paused buckets for each key that has some.
    var pausedCounts: [String: Int] { counts(isPaused: true) }

    private func counts(isPaused: Bool) -> [String: Int] {
        var counts: [String: Int] = [:]
        for (range, buckets) in slices where !range.key.isEmpty && range.isPaused == isPaused {
            counts[range.key, default: 0] += buckets.count
        }
        return counts
    }

    /// The allocation to users: paused ranges have no key.
    package var active: TrafficAllocation {
        guard ranges.contains(where: \.isPaused) else { return self }
        var active: [Range] = []
        for range in ranges {
            let key = range.isPaused ? "" : range.key
            if let last = active.last, last.key == key { active.removeLast() }
            active.append(Range(key, end: range.end))
        }
        if active.last?.key.isEmpty == true { active.removeLast() }
        return TrafficAllocation(active)
    }

    /// The allocation in which each key has its target, and in which as few buckets as possible change their key.
    ///
    /// - A key keeps its first buckets, up to its target.
    /// - A key whose target is zero keeps its ranges as paused ones, unless other keys get them.
    /// - A key that grows gets the buckets that other keys give up. If there are not enough of them, it gets others:
    ///   first those that are paused for it, then free ones right after its own ranges, then the lowest, then those
    ///   that are paused for other keys.
    /// - A first allocation follows the order of the targets from bucket 0.
    ///
    /// The number of buckets that change is the smallest possible: the sum of what the shrinking keys lose, or that of
    /// what the growing keys get, whichever is greater. If nothing has to change, the ranges are returned as they are.
    ///
    /// - Parameters:
    ///   - targets: The number of buckets for each key. Keys that are missing lose theirs. Targets beyond 10,000
    ///     buckets in total are cut.
    ///   - resumesFirst: Whether a key without traffic, whose target is the number of its paused buckets, gets these
    ///     back even if other keys give up some. Default: false.
    /// - Returns: The extended allocation, in which adjacent ranges of a key are one.
    /// - Complexity: O(r + k) for r ranges and k keys.
    package func extended(to targets: [Target], resumesFirst: Bool = false) -> TrafficAllocation {
        var wanted: [String: Int] = [:]
        for target in targets where target.count > 0 {
            wanted[target.key, default: 0] += min(target.count, Bucketing.bucketCount)
        }
        guard wanted != counts else { return self }
        var division = Division(self, targets)
        division.keepFirstBuckets()
        if resumesFirst {
            let (present, paused) = (counts, pausedCounts)
            division.resumePaused { present[$0] == nil && paused[$0] == wanted[$0] }
        }
        division.fillLowest { if case .released = $0 { true } else { false } }
        division.resumePaused { _ in true }
        division.extendInPlace()
        division.fillLowest { $0 == .free }
        division.fillLowest { if case .paused = $0 { true } else { false } }
        return division.allocation
    }

    /// The ranges with their buckets.
    private var slices: [(range: Range, buckets: Swift.Range<Int>)] {
        var start = 0
        return ranges.map { range in
            let end = min(max(range.end, start), Bucketing.bucketCount)
            defer { start = end }
            return (range, start..<end)
        }
    }

    /// All buckets in runs that belong to one key or to none. Each step goes over the runs once.
    private struct Division {
        enum Owner: Equatable {
            /// The key with this index.
            case key(Int)
            /// None; it is kept for the key with this index.
            case paused(Int)
            /// None; a key has just given it up. The index is that of a key without traffic.
            case released(Int?)
            case free

            /// The owner of the buckets if no key takes them.
            var afterwards: Owner {
                guard case .released(let key) = self else { return self }
                return key.map(Owner.paused) ?? .free
            }
        }

        private let keys: [String]
        /// How many more buckets each key may have.
        private var missing: [Int]
        /// The keys that have traffic.
        private let withTraffic: Set<String>
        private var runs: [(owner: Owner, count: Int)] = []

        init(_ allocation: TrafficAllocation, _ targets: [Target]) {
            keys = targets.map(\.key)
            missing = targets.map(\.count)
            withTraffic = Set(targets.filter { $0.count > 0 }.map(\.key))
            let owners = Dictionary(zip(keys, keys.indices)) { first, _ in first }
            for (range, buckets) in allocation.slices {
                if range.isPaused {
                    append(owners[range.key].map(Owner.paused) ?? .free, buckets.count)
                } else {
                    // A key that is no longer there gives up all of its buckets.
                    let other = range.key.isEmpty ? Owner.free : .released(nil)
                    append(owners[range.key].map(Owner.key) ?? other, buckets.count)
                }
            }
            append(.free, Bucketing.bucketCount - runs.reduce(0) { $0 + $1.count })
        }

        private mutating func append(_ owner: Owner, _ count: Int) {
            guard count > 0 else { return }
            if let last = runs.last, last.owner == owner {
                runs[runs.count - 1].count += count
            } else {
                runs.append((owner, count))
            }
        }

        /// Gives a key as many of these buckets as it may have, and returns the number of the others.
        private mutating func give(_ count: Int, to key: Int) -> Int {
            let given = min(count, max(missing[key], 0))
            missing[key] -= given
            append(.key(key), given)
            return count - given
        }

        private mutating func rebuild(_ visit: (inout Division, _ owner: Owner, _ count: Int) -> Void) {
            let before = runs
            runs = []
            for run in before { visit(&self, run.owner, run.count) }
        }

        mutating func keepFirstBuckets() {
            rebuild { division, owner, count in
                guard case .key(let key) = owner else { return division.append(owner, count) }
                let isPaused = !division.withTraffic.contains(division.keys[key])
                division.append(.released(isPaused ? key : nil), division.give(count, to: key))
            }
        }

        mutating func resumePaused(_ isResumed: (String) -> Bool) {
            rebuild { division, owner, count in
                guard case .paused(let key) = owner, isResumed(division.keys[key]) else {
                    return division.append(owner, count)
                }
                division.append(owner, division.give(count, to: key))
            }
        }

        mutating func extendInPlace() {
            rebuild { division, owner, count in
                guard owner == .free, case .key(let last)? = division.runs.last?.owner else {
                    return division.append(owner, count)
                }
                division.append(.free, division.give(count, to: last))
            }
        }

        /// Gives the lowest buckets of some owners to the keys that still miss some, one key after the other. The rest
        /// of what a key without traffic gave up is kept for it; the rest of other keys' is free.
        mutating func fillLowest(_ isSource: (Owner) -> Bool) {
            var next = 0
            rebuild { division, owner, count in
                guard isSource(owner) else { return division.append(owner, count) }
                var rest = count
                while rest > 0, next < division.keys.count {
                    rest = division.give(rest, to: next)
                    if rest > 0 { next += 1 }
                }
                division.append(owner.afterwards, rest)
            }
        }

        var allocation: TrafficAllocation {
            var end = 0
            var ranges = runs.map { run in
                end += run.count
                return switch run.owner {
                case .key(let key): Range(keys[key], end: end)
                case .paused(let key): Range(keys[key], end: end, isPaused: true)
                case .released, .free: Range("", end: end)
                }
            }
            if ranges.last?.key.isEmpty == true { ranges.removeLast() }
            return TrafficAllocation(ranges)
        }
    }

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
