/// How traffic changes affect users without stored assignments.
@Suite struct TrafficChangeTests {
    /// Raising traffic assigns unused buckets; existing ranges stay.
    @Test(arguments: 1...20) func raisingTrafficNeverMovesAnAssignedUser(round: UInt64) throws {
        var random = RepeatableRandom(stream: 500 + round)
        let users = (0..<100).map { "user \($0) of \(random.next())" }
        var ends: [Int] = []
        var owners: [Int] = []
        var assigned: [String: String] = [:]
        while (ends.last ?? 0) < 10_000 {
            ends.append(min((ends.last ?? 0) + Int.random(in: 0...3_000, using: &random), 10_000))
            owners.append(Int.random(in: 1...3, using: &random))
            let project = try Self.project(ends: ends, owners: owners)
            for user in users {
                let variation = project.decide("flag", for: User(user)).variation?.id
                if let before = assigned[user] {
                    #expect(variation == before, "\(user) at \(ends), seed \(RepeatableRandom.seed)")
                }
                assigned[user] = variation
            }
        }
        #expect(assigned.count == users.count, "with all traffic allocated every user is assigned")
    }

    @Test func lastRangeMayGrowInPlace() throws {
        var assigned: Set<String> = []
        for end in stride(from: 0, through: 10_000, by: 250) {
            let project = try Self.project(ends: [end], owners: [1])
            let isIn = Set((0..<200).map { "user \($0)" }.filter { project.decide("flag", for: User($0)).isEnabled })
            #expect(isIn.isSuperset(of: assigned), "at \(end)")
            assigned = isIn
        }
        #expect(assigned.count == 200)
    }

    /// The same for a group's shares and the experiments in it.
    @Test func raisingAGroupsTrafficNeverMovesAnAssignedUser() throws {
        var assigned: [String: String] = [:]
        for ends in [[0, 0], [1_000, 1_500], [1_000, 4_000], [1_000, 10_000]] {
            let project = try Self.group(ends: ends)
            for number in 0..<200 {
                let rule = project.decide("flag", for: User("user \(number)")).rule?.id
                if let before = assigned["user \(number)"] { #expect(rule == before) }
                assigned["user \(number)"] = rule
            }
        }
        #expect(Set(assigned.values) == ["1", "2"])
        #expect(assigned.count == 200)
    }

    /// Ranges are evaluated in the order of the file, whatever it is.
    @Test func firstRangeThatEndsAboveTheBucketWins() throws {
        // The user's bucket in experiment 1 is 4732.
        for (ends, owners, expected) in [
            ([5_000, 10_000], [1, 2], "11"), ([4_732, 10_000], [1, 2], "12"), ([4_733, 10_000], [1, 2], "11"),
            ([10_000, 5_000], [2, 1], "12"), ([0, 0, 9_000], [1, 2, 3], "13"), ([4_000], [1], nil), ([], [], nil),
            ([-5, 20_000], [1, 2], "12"), ([9_000, 9_000], [3, 1], "13"),
        ] as [([Int], [Int], String?)] {
            let decision = try Self.project(ends: ends, owners: owners).decide("flag", for: User("u"))
            #expect(decision.variation?.id == expected, "\(ends)")
        }
    }

    /// Traffic may name a variation that the experiment does not have; such users get no variation.
    @Test func bucketsOfUnknownVariationsAreUnallocated() throws {
        let project = try Self.project(ends: [5_000, 10_000], owners: [7, 1])
        let decision = project.decide("flag", for: User("u"), options: .includeReasons)
        #expect(decision.stage == .noRule && decision.variation == nil)
        #expect(decision.reasons.prefix(2) == [.unknownVariation(id: "17"), .inNoVariation(user: "u")])
        let none = try Self.project(ends: [], owners: []).decide("flag", for: User("u"), options: .includeReasons)
        #expect(none.reasons.prefix(2) == [.ruleWithoutTraffic(rule: "rule1"), .inNoVariation(user: "u")])
    }

    // MARK: Helpers

    private static func project(ends: [Int], owners: [Int]) throws -> Project {
        let rule = SmallDatafile.rule("1") {
            $0.variations = [("a", true), ("b", true), ("c", true)]
            $0.ends = ends
            $0.owners = owners
        }
        return try SmallDatafile(experiments: rule, flags: SmallDatafile.flag("flag", experiments: ["1"])).project()
    }

    private static func group(ends: [Int]) throws -> Project {
        let traffic = zip(1..., ends).map { #"{"entityId": "\#($0)", "endOfRange": \#($1)}"# }.joined(separator: ",")
        let rules = [SmallDatafile.rule("1"), SmallDatafile.rule("2")].joined(separator: ",")
        let group = #"{"id": "G", "policy": "random", "trafficAllocation": [\#(traffic)], "experiments": [\#(rules)]}"#
        return try SmallDatafile(groups: group, flags: SmallDatafile.flag("flag", experiments: ["1", "2"])).project()
    }

    // MARK: Traffic share
    // Users are distributed by the configured shares. A fair engine fails one of these once in a thousand sets of ids;
    // the ids here are fixed.

    @Test(
        arguments: [
            [5_000, 10_000], [1_000, 10_000], [3_333, 6_666, 10_000], [100, 500, 10_000], [1, 10_000],
            [1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000],
            [2_500, 2_600, 7_500, 9_999, 10_000],
        ], ["1886780721", "4301"])
    func variationsGetTheirShares(ends: [Int], experiment: String) throws {
        let counts = try #require(Million.users.counts[experiment])
        let starts = [0] + ends.dropLast()
        let observed = zip(starts, ends).map { counts[$0..<$1].reduce(0, +) }
        let expected = zip(starts, ends).map { Double(($1 - $0) * Million.users.total / 10_000) }
        let test = ChiSquare(observed: observed, expected: expected)
        #expect(test.isWithinChance, "\(test.statistic) exceeds \(test.bound): \(observed)")
    }

    @Test(arguments: ["1886780721", "4301"]) func allBucketsAreEquallyLikely(experiment: String) throws {
        let counts = try #require(Million.users.counts[experiment])
        let expected = [Double](repeating: Double(Million.users.total) / 10_000, count: 10_000)
        let test = ChiSquare(observed: counts, expected: expected)
        #expect(test.isWithinChance, "\(test.statistic) exceeds \(test.bound)")
    }

    @Test func experimentsAreIndependent() {
        let test = ChiSquare(independenceOf: Million.users.table)
        #expect(test.degreesOfFreedom == 81)
        #expect(test.isWithinChance, "\(test.statistic) exceeds \(test.bound)")
    }

    /// The bound rejects unfair results.
    @Test func theCheckDetectsUnfairSharesAndDependence() {
        #expect(!ChiSquare(observed: [502_000, 498_000], expected: [500_000, 500_000]).isWithinChance)
        #expect(ChiSquare(observed: [501_000, 499_000], expected: [500_000, 500_000]).isWithinChance)
        #expect(!ChiSquare(independenceOf: [[26_000, 24_000], [24_000, 26_000]]).isWithinChance)
        // Published bounds for p = 0.001.
        for (degrees, bound) in [(1, 10.828), (4, 18.467), (9, 27.877), (81, 126.083)] {
            let test = ChiSquare(
                observed: [Int](repeating: 1, count: degrees + 1), expected: [Double](repeating: 1, count: degrees + 1))
            #expect(abs(test.bound - bound) < bound * 0.04)
        }
    }

    /// The buckets counted above are those that decisions use.
    @Test func decisionsFollowTheBuckets() throws {
        let ends = [2_500, 2_600, 7_500, 9_000]
        let rule = SmallDatafile.rule("4301") {
            $0.variations = [("a", true), ("b", true), ("c", false), ("d", true)]
            $0.ends = ends
        }
        let project = try SmallDatafile(experiments: rule, flags: SmallDatafile.flag("flag", experiments: ["4301"]))
            .project()
        for number in 0..<2_000 {
            let bucket = Bucketing(bucketingID: "user-\(number)").bucket(entityID: "4301")
            let expected = ends.firstIndex { bucket < $0 }.map { "4301\($0 + 1)" }
            #expect(project.decide("flag", for: User("user-\(number)")).variation?.id == expected)
        }
    }
}

/// A million users, counted by bucket. The tests evaluate the same counts.
private struct Million {
    static let users = Million()

    private(set) var counts = [
        "1886780721": [Int](repeating: 0, count: 10_000), "4301": [Int](repeating: 0, count: 10_000),
    ]
    /// Users by tenth of the first experiment and tenth of the second.
    private(set) var table = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 10)
    let total = rounds(100_000, thorough: 1_000_000)

    private init() {
        var (first, second) = ([Int](repeating: 0, count: 10_000), [Int](repeating: 0, count: 10_000))
        var cells = [Int](repeating: 0, count: 100)
        for number in 0..<total {
            let user = Bucketing(bucketingID: "user-\(number)")
            let (one, two) = (user.bucket(entityID: "1886780721"), user.bucket(entityID: "4301"))
            first[one] += 1
            second[two] += 1
            cells[one / 1_000 * 10 + two / 1_000] += 1
        }
        counts = ["1886780721": first, "4301": second]
        table = (0..<10).map { row in Array(cells[row * 10..<row * 10 + 10]) }
    }
}
