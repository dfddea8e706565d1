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

/// Users are distributed by the configured shares. A fair engine fails one of these once in a thousand sets of ids; the
/// ids here are fixed.
@Suite struct TrafficShareTests {
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
