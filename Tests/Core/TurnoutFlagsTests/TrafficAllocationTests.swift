@Suite struct TrafficAllocationTests {
    private typealias Weights = [(key: String, weight: Int)]

    private func split(
        _ traffic: Int, _ weights: Weights, from previous: TrafficAllocation = TrafficAllocation()
    ) -> TrafficAllocation {
        previous.extended(to: previous.targets(of: TrafficShare(buckets: traffic), by: weights))
    }

    private let halves: Weights = [("off", 50), ("on", 50)]

    // MARK: Buckets

    @Test func firstAllocationFollowsTheSplitFromBucketZero() {
        #expect(
            split(5_000, [("off", 50), ("on", 25), ("big", 25)]).ranges
                == [.init("off", end: 2_500), .init("on", end: 3_750), .init("big", end: 5_000)])
        #expect(split(0, halves).ranges.isEmpty)
        #expect(split(10_000, []).ranges.isEmpty)
    }

    @Test func anotherSplitMovesOnlyTheDifference() {
        let before = split(10_000, halves)
        let after = split(10_000, [("off", 60), ("on", 40)], from: before)
        #expect(moved(before, after) == 1_000)
        #expect(after.ranges == [.init("off", end: 5_000), .init("on", end: 9_000), .init("off", end: 10_000)])
    }

    /// With free buckets beside them, too: other users do not enter.
    @Test func anotherSplitOfPartOfTheTrafficLetsNoOtherUserIn() {
        let before = split(5_000, halves)
        let after = split(5_000, [("off", 40), ("on", 60)], from: before)
        #expect(after.ranges == [.init("off", end: 2_000), .init("on", end: 5_000)])
        #expect(moved(before, after) == 500)
        #expect(entered(before, after) == 0)
    }

    @Test func lessTrafficTakesUsersFromTheEnd() {
        let twenty = split(2_000, halves)
        let ten = split(1_000, halves, from: twenty)
        #expect(ten.ranges == [.init("off", end: 500), .init("", end: 1_000), .init("on", end: 1_500)])
        #expect(split(2_000, halves, from: ten) == twenty)
    }

    @Test func trafficOfZeroKeepsTheRangesForLater() {
        let before = split(5_000, [("off", 60), ("on", 40)], from: split(5_000, halves))
        let paused = split(0, [("off", 60), ("on", 40)], from: before)
        #expect(paused.active.ranges.isEmpty && paused.counts.isEmpty)
        #expect(paused.ranges.map(\.end) == before.ranges.map(\.end))
        #expect(split(0, halves, from: paused) == paused)
        #expect(split(5_000, [("off", 60), ("on", 40)], from: paused) == before)
        let half = split(2_500, [("off", 60), ("on", 40)], from: paused)
        #expect(moved(half, before) == 0)
    }

    /// The users of a variation without weight move to the others, which have the traffic now.
    @Test func trafficOfAPausedKeyGoesToKeysThatGrow() {
        let before = split(5_000, halves)
        let after = split(5_000, [("off", 100), ("on", 0)], from: before)
        #expect(after.ranges == [.init("off", end: 5_000)])
        #expect(entered(before, after) == 0)
    }

    @Test func targetsThatAreMetKeepTheRangesAsTheyAre() {
        let odd = TrafficAllocation([
            .init("on", end: 10), .init("on", end: 5_000), .init("", end: 5_000), .init("off", end: 10_000),
        ])
        #expect(split(10_000, halves, from: odd) == odd)
    }

    @Test func roundingKeepsPresentCounts() {
        let thirds: Weights = [("a", 1), ("b", 1), ("c", 1)]
        #expect(split(10_000, thirds).counts == ["a": 3_334, "b": 3_333, "c": 3_333])
        let other = TrafficAllocation([.init("a", end: 3_333), .init("b", end: 6_666), .init("c", end: 10_000)])
        #expect(split(10_000, thirds, from: other) == other)
    }

    @Test func weightsThatAreCountsAreExact() {
        let allocation = split(9_999, [("a", 1), ("b", 9_997), ("c", 1)])
        #expect(allocation.counts == ["a": 1, "b": 9_997, "c": 1])
    }

    @Test func extremeNumbersDoNotTrap() {
        #expect(split(.max, [("a", .max), ("b", .min), ("c", .max)]).counts == ["a": 5_000, "c": 5_000])
        let broken = TrafficAllocation([.init("a", end: .max), .init("b", end: -5), .init("", end: 7)])
        #expect(broken.extended(to: [.init("b", .max), .init("b", 3), .init("c", -1)]).counts == ["b": 10_000])
    }

    // MARK: Any edit

    /// Edits of traffic, of the split, of both, and pauses, of the arms of one experiment. With few distinct numbers,
    /// edits return to earlier ones.
    @Test(arguments: [1, 500]) func anyEditMovesAsFewBucketsAsPossible(step: Int) {
        var random = SplitMix(state: 16)
        for _ in 0..<rounds(60, thorough: 400) {
            var allocation = TrafficAllocation()
            var (traffic, weights) = (0, Weights())
            var steps: [String] = []
            for _ in 0..<8 {
                let edit = Int.random(in: 0..<4, using: &random)
                if edit == 0 { traffic = 0 }
                if edit == 1 || edit == 3 { traffic = step * .random(in: 0...10_000 / step, using: &random) }
                if edit > 1 || weights.isEmpty {
                    let keys = ["a", "b", "c", "d"].shuffled(using: &random)
                    weights = keys.prefix(.random(in: 1...4, using: &random)).map {
                        (key: $0, weight: step * .random(in: 0...5_000 / step, using: &random))
                    }
                }
                let targets = allocation.targets(of: TrafficShare(buckets: traffic), by: weights)
                let next = allocation.extended(to: targets)
                let wanted = Dictionary(targets.map { ($0.key, $0.count) }) { $0 + $1 }.filter { $0.value > 0 }
                steps.append("\(wanted)")
                #expect(next.counts == wanted)
                let leaving = allocation.counts.reduce(0) { $0 + max(0, $1.value - (wanted[$1.key] ?? 0)) }
                let growing = wanted.reduce(0) { $0 + max(0, $1.value - (allocation.counts[$1.key] ?? 0)) }
                #expect(moved(allocation, next) == leaving, "\(steps)")
                #expect(entered(allocation, next) == max(0, growing - leaving), "\(steps)")
                allocation = next
            }
        }
    }

    @Test func moreTrafficNeverTakesABucketFromAKey() {
        var random = SplitMix(state: 17)
        for _ in 0..<rounds(30, thorough: 80) {
            let weights = (0..<Int.random(in: 2...9, using: &random)).map {
                (key: "\($0)", weight: Int.random(in: 1...200, using: &random))
            }
            var allocation = TrafficAllocation()
            var traffic = 0
            while traffic < 10_000 {
                traffic = min(traffic + .random(in: 1...2_000, using: &random), 10_000)
                let next = split(traffic, weights, from: allocation)
                #expect(moved(allocation, next) == 0, "\(weights) at \(traffic)")
                #expect(next.counts.values.reduce(0, +) == traffic)
                allocation = next
            }
            while traffic > 0 {
                traffic = max(traffic - .random(in: 1...2_000, using: &random), 0)
                let next = split(traffic, weights, from: allocation)
                #expect(moved(allocation, next) == allocation.counts.values.reduce(0, +) - traffic)
                #expect(moved(next, allocation) == 0)
                allocation = next
            }
        }
    }

    @Test func rangesStayFew() {
        var random = SplitMix(state: 18)
        var allocation = TrafficAllocation()
        for _ in 0..<100 {
            let weights = ["off", "on", "big"].map { (key: $0, weight: Int.random(in: 1...100, using: &random)) }
            allocation = split(.random(in: 1_000...10_000, using: &random), weights, from: allocation)
        }
        #expect(allocation.ranges.count < 40)
        #expect(zip(allocation.ranges, allocation.ranges.dropFirst()).allSatisfy { $0.key != $1.key })
    }

    /// The number of free buckets that get a key.
    private func entered(_ before: TrafficAllocation, _ after: TrafficAllocation) -> Int {
        count(before, after) { $0[0].isEmpty && !$0[1].isEmpty }
    }

    /// The number of buckets that leave their key.
    private func moved(_ before: TrafficAllocation, _ after: TrafficAllocation) -> Int {
        count(before, after) { !$0[0].isEmpty && $0[0] != $0[1] }
    }

    /// The number of buckets of which something is true of their keys in each allocation; empty if they are free.
    private func count(_ allocations: TrafficAllocation..., where isCounted: ([String]) -> Bool) -> Int {
        let ranges = allocations.map(\.active.ranges)
        let ends = Set(ranges.joined().map { min(max($0.end, 0), Bucketing.bucketCount) } + [Bucketing.bucketCount])
        var (start, result) = (0, 0)
        // Between two ends, all buckets have the same keys.
        for end in ends.sorted() {
            if isCounted(ranges.map { $0.first { $0.end > start }?.key ?? "" }) { result += end - start }
            start = end
        }
        return result
    }
}
