/// From distributions to estimates.
@Suite struct MetricTests {
    private let golden: GoldenValues

    init() throws { golden = try GoldenValues.file.get() }

    /// The users of the file, whose numbers follow from a rule; one row each, or with equal ones together.
    private static let users: [Distribution.Row] = [(400, 37, 53, 11, 41, 0), (380, 29, 47, 13, 43, 7)].enumerated()
        .flatMap { arm, rule in
            let (n, a, b, c, m, shift) = rule
            return (0..<n).map { i in
                let x = (i * a + shift) % m
                let orders = i * c % 7 / 4 + (x > m / 2 ? 1 : 0)
                let revenue = orders == 0 ? 0 : orders * (500 + i * b % 13 * 25) + x * 10
                return Distribution.Row(
                    arm: arm, count: 1 + i * b % 5, revenue: Int64(revenue), value: Double(orders),
                    before: Double(x * 100), visitors: 1)
            }
        }

    private func comparison(_ metric: Metric, isAdjusted: Bool = false) throws -> Comparison {
        let history = MetricHistory(metric, in: Distribution(arms: 2, rows: Self.users))
        return try #require(history.comparisons(of: 1, with: 0, isAdjusted: isAdjusted)[0])
    }

    @Test func meanRatioAndAdjustedMean() throws {
        for (metric, isAdjusted, expected) in [
            (Metric(.revenue), false, golden.users.mean), (Metric(.value, per: .count), false, golden.users.ratio),
            (Metric(.revenue), true, golden.users.cuped),
        ] {
            let comparison = try comparison(metric, isAdjusted: isAdjusted)
            let test = EffectTest(.fixedHorizon)
            #expect(isClose(comparison.control.mean, expected.control))
            #expect(isClose(comparison.treatment.mean, expected.treatment))
            #expect(isClose(comparison.difference.value, expected.effectSize))
            #expect(isClose(test.pValue(of: comparison.difference), expected.pvalue))
            #expect(
                isClose(
                    test.interval(of: comparison.difference), [expected.effectSizeCiLower, expected.effectSizeCiUpper]))
        }
    }

    @Test func theSameByAnotherPackage() throws {
        for (metric, isAdjusted, expected) in [
            (Metric(.revenue), false, golden.usersGbstats.mean),
            (Metric(.value, per: .count), false, golden.usersGbstats.ratio),
            (Metric(.revenue), true, golden.usersGbstats.cuped),
        ] {
            let comparison = try comparison(metric, isAdjusted: isAdjusted)
            #expect(isClose(comparison.control.variance, expected.controlVariance))
            #expect(isClose(comparison.treatment.variance, expected.treatmentVariance))
            for (effect, result) in [
                (comparison.difference, expected.fixedAbsolute), (comparison.difference, expected.sequentialAbsolute),
                (comparison.relativeDifference, expected.fixedRelative),
                (comparison.relativeDifference, expected.sequentialRelative),
            ] {
                let test = EffectTest(result.nStar.map { .alwaysValid(plannedVisitors: $0) } ?? .fixedHorizon)
                #expect(isClose(effect.value, result.expected) && isClose(test.pValue(of: effect), result.p))
                #expect(isClose(test.interval(of: effect), result.ci))
            }
        }
    }

    @Test func theAdjustmentIsOneForBothArms() throws {
        let comparison = try comparison(Metric(.revenue), isAdjusted: true)
        #expect(isClose(comparison.theta, golden.users.cupedThetaAllVisitorsTogether))
        #expect(isClose(comparison.theta, golden.usersGbstats.theta))
        #expect(comparison.control.unadjustedMean == 764)
        // The sums of the file: 798,000 of 400 users.
        #expect(try self.comparison(Metric(.before)).control.mean == 1995)
        #expect(try self.comparison(Metric(.revenue)).theta == nil)
        // A ratio is not adjusted, and neither is a metric of which too little is known from before.
        #expect(try self.comparison(Metric(.revenue, per: .count), isAdjusted: true).theta == nil)
        let rows = Self.users.enumerated().map { index, row in
            var row = row
            if index % 10 > 2 { row.before = nil }
            return row
        }
        let enough = Distribution(arms: 2, rows: rows)
        #expect(enough.shareWithBefore == 0.3 && MetricHistory(Metric(.revenue), in: enough).isAdjustable)
        var fewer = rows
        fewer[0].before = nil
        let history = MetricHistory(Metric(.revenue), in: Distribution(arms: 2, rows: fewer))
        #expect(!history.isAdjustable)
        #expect(try #require(history.comparisons(of: 1, with: 0, isAdjusted: true)[0]).theta == nil)
    }

    /// Earlier numbers that tell everything leave no variance, and those that are all the same tell nothing.
    @Test func adjustmentsAtTheirLimits() throws {
        func comparison(_ before: (Int) -> Double) throws -> Comparison {
            let rows = (0..<1000).map { index in
                Distribution.Row(
                    arm: index % 2, value: Double(index % 7) / 10, before: before(index), visitors: 1 + index % 3)
            }
            let history = MetricHistory(Metric(.value), in: Distribution(arms: 2, rows: rows))
            return try #require(history.comparisons(of: 1, with: 0, isAdjusted: true)[0])
        }
        let complete = try comparison { Double($0 % 7) / 10 }
        #expect(complete.theta == 1 && (0..<1e-15).contains(complete.control.variance))
        let nothing = try comparison { _ in 3 }
        #expect(nothing.theta == nil && nothing.control.mean == nothing.control.unadjustedMean)
    }

    @Test func winsorising() throws {
        for row in golden.winsorise.rows {
            let rows = (0..<300).map { i in
                let value = i * 97 % 1009
                return Distribution.Row(arm: i % 2, revenue: Int64(value * value / 50), visitors: 1)
            }
            let history = MetricHistory(Metric(.revenue, winsorisedAt: row.q), in: Distribution(arms: 2, rows: rows))
            #expect(history.cap == row.cap && rows.count { Double($0.revenue) > row.cap } == row.cappedCount)
            // The mean and variance of all are those of one arm with all.
            let one = rows.map { row in Distribution.Row(arm: 0, revenue: row.revenue, visitors: 1) }
            let all = MetricHistory(Metric(.revenue, winsorisedAt: row.q), in: Distribution(arms: 1, rows: one))
            #expect(isClose(all.days[0].arms[0].mean, row.mean) && isClose(all.days[0].arms[0].variance, row.variance))
            let uncut = MetricHistory(Metric(.revenue), in: Distribution(arms: 1, rows: one))
            #expect(uncut.cap == nil && isClose(uncut.days[0].arms[0].mean, row.meanUncapped))
        }
    }

    @Test func percentilesCountVisitorsOfAllArmsWithTheirZeros() {
        let rows = [(0, 0, 90), (1, 5, 5), (2, 7, 4), (1, 1000, 1)].map { arm, count, visitors in
            Distribution.Row(arm: arm, count: count, value: -Double(count), visitors: visitors)
        }
        let distribution = Distribution(arms: 3, rows: rows)
        for (percentile, expected) in [
            (0.5, 0.0), (0.9, 0), (0.901, 5), (0.95, 5), (0.99, 7), (0.991, 1000), (1, 1000),
        ] {
            #expect(distribution.amount(of: .count, atPercentile: percentile) == expected)
        }
        #expect(distribution.amount(of: .count, atPercentile: 0) == 0)
        #expect(distribution.amount(of: .value, atPercentile: 0.01) == -1000)
        #expect(distribution.amount(of: .count, atPercentile: 1.01) == nil)
        #expect(Distribution(arms: 3, rows: []).amount(of: .count, atPercentile: 0.9) == nil)
        // A ratio's numerator is cut, its denominator is not; a conversion stays one.
        let perConversion = MetricHistory(Metric(.count, per: .conversion, winsorisedAt: 0.99), in: distribution)
        #expect(Sample(perConversion.days[0].arms[1], of: perConversion.metric)?.mean == 32.0 / 6)
        #expect(MetricHistory(Metric(.conversion, winsorisedAt: 0.5), in: distribution).cap == nil)
    }

    @Test func orderAndGroupingOfRowsChangeNoBit() throws {
        var random = SplitMix(state: 5)
        let rows = (0..<500).map { index in
            Distribution.Row(
                arm: index % 3, day: Int.random(in: 0..<5, using: &random),
                count: Int.random(in: 0..<4, using: &random),
                revenue: .random(in: -1_000_000_000...1_000_000_000_000, using: &random),
                value: .random(in: -1...1, using: &random) * 1e12, before: .random(in: 0...1e-3, using: &random),
                visitors: Int.random(in: 2..<9, using: &random))
        }
        let others = rows.flatMap { row in
            var (part, rest) = (row, row)
            (part.visitors, rest.visitors) = (1, row.visitors - 1)
            return [rest, part]
        }.shuffled(using: &random)
        for metric in [
            Metric(.conversion), Metric(.revenue, winsorisedAt: 0.9), Metric(.value), Metric(.value, per: .count),
        ] {
            let history = MetricHistory(metric, in: Distribution(arms: 3, rows: rows))
            let other = MetricHistory(metric, in: Distribution(arms: 3, rows: others))
            #expect(history.days.map(\.day) == [0, 1, 2, 3, 4] && history.cap == other.cap)
            for arm in 1...2 {
                let comparisons = history.comparisons(of: arm, with: 0, isAdjusted: true)
                #expect(comparisons == other.comparisons(of: arm, with: 0, isAdjusted: true))
                #expect(comparisons.last??.control.visitors == rows.reduce(0) { $0 + ($1.arm == 0 ? $1.visitors : 0) })
            }
        }
    }

    /// A mean of a billion does not hide a variance of 1/4, nor does one of 0.1 create any.
    @Test func variancesKeepTheirDigits() throws {
        let rows = [0.0, 1].map { Distribution.Row(arm: 0, value: 1e9 + $0, visitors: 500_000) }
        let moments = MetricHistory(Metric(.value), in: Distribution(arms: 1, rows: rows)).days[0].arms[0]
        #expect(moments.mean == 1e9 + 0.5 && isClose(moments.variance, 0.25 * 1e6 / (1e6 - 1)))
        let equal = Distribution(arms: 1, rows: [Distribution.Row(arm: 0, value: 0.1, visitors: 1_000_003)])
        #expect(MetricHistory(Metric(.value), in: equal).days[0].arms[0].variance == 0)
    }
}
