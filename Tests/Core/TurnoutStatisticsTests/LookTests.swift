/// Looking again and again, and what is said when there is nothing to see.
@Suite struct LookTests {
    private let test = EffectTest(.alwaysValid(plannedVisitors: 10_000))

    private func comparison(_ control: Double, _ treatment: Double, visitors: Int = 5000) -> Comparison {
        Comparison(
            control: Sample(visitors: visitors, mean: control, variance: 1),
            treatment: Sample(visitors: visitors, mean: treatment, variance: 1))
    }

    @Test func whatWasRefutedStaysRefuted() throws {
        let comparisons = [comparison(5, 5.1, visitors: 2000), comparison(5, 5.01), nil, comparison(5, 5.08)]
        let looks = test.looks(at: comparisons)
        #expect(looks[2] == nil)
        let (first, second, last) = try (#require(looks[0]), #require(looks[1]), #require(looks[3]))
        #expect(test.pValue(of: second.comparison.difference) == 1)
        #expect(first.pValue < 0.5 && second.pValue == first.pValue && last.pValue < first.pValue)
        let intervals = try comparisons.compactMap(\.self).map { try #require(test.interval(of: $0.difference)) }
        #expect(first.interval == intervals[0])
        #expect(second.interval == Interval(max(intervals[0].lower, intervals[1].lower), intervals[1].upper))
        #expect(
            last.interval?.upper == intervals[1].upper && last.lift?.value == comparisons[3]?.relativeDifference.value)
        let lifts = [first, second, last].compactMap(\.lift?.interval)
        #expect(lifts.count == 3 && lifts[1].lower == lifts[0].lower && lifts[2].upper == lifts[1].upper)
        let alone = EffectTest(.fixedHorizon).looks(at: comparisons)
        #expect(alone[1]?.pValue == EffectTest(.fixedHorizon).pValue(of: second.comparison.difference))
        #expect(alone[1]?.interval == EffectTest(.fixedHorizon).interval(of: second.comparison.difference))
    }

    @Test func aContradictionIsAChangeOfTheEffect() throws {
        let looks = test.looks(at: [comparison(5, 5.5), comparison(5, 4.5), comparison(5, 5.5)])
        #expect(looks.map { $0?.interval == nil } == [false, true, true])
        #expect(looks.map { $0?.lift == nil } == [false, true, true])
        for (look, isMeasured) in zip(looks, [true, false, false]) {
            let look = try #require(look)
            #expect((look.interval != nil) == isMeasured)
        }
    }

    @Test func nothingIsSaidOfWhatDoesNotVary() {
        // Nobody has converted: nothing varies.
        #expect(
            test.looks(at: [
                Comparison(
                    control: Sample(visitors: 5000, mean: 0, variance: 0),
                    treatment: Sample(visitors: 5000, mean: 0, variance: 0))
            ]) == [nil])
    }

    @Test func armsWithFewVisitorsAreNotCompared() {
        let rows = (0..<4).flatMap { day in
            (0..<3).flatMap { arm in
                [
                    Distribution.Row(arm: arm, day: day, count: 1, visitors: 10),
                    Distribution.Row(arm: arm, day: day, visitors: arm == 2 ? 15 : 30),
                ]
            }
        }
        let history = MetricHistory(Metric(.conversion), in: Distribution(arms: 3, rows: rows))
        #expect(history.comparisons(of: 1, with: 0).map { $0?.control.visitors } == [nil, nil, 120, 160])
        #expect(history.comparisons(of: 2, with: 0).map { $0?.treatment.visitors } == [nil, nil, nil, 100])
        #expect(history.comparisons(of: 2, with: 0)[3]?.treatment.mean == 0.4)
        #expect(history.comparisons(of: 3, with: 0) == [nil, nil, nil, nil])
        #expect(history.days.map { $0.arms.map(\.visitors) }.last == [160, 160, 100])
    }

    /// One conversion has no variance: an arm with few would seem certain of its ratio.
    @Test func ratiosOfFewConversionsAreNotCompared() {
        let rows = (0..<4).flatMap { day in
            (0..<2).flatMap { arm in
                (5...9).map { Distribution.Row(arm: arm, day: day, count: 1, revenue: $0, visitors: 1) }
                    + [Distribution.Row(arm: arm, day: day, visitors: 100)]
            }
        }
        let comparisons = { (metric: Metric) in
            MetricHistory(metric, in: Distribution(arms: 2, rows: rows)).comparisons(of: 1, with: 0).map { $0 != nil }
        }
        #expect(comparisons(Metric(.revenue, per: .count)) == [false, false, false, true])
        #expect(comparisons(Metric(.revenue)) == [true, true, true, true])
    }

    /// Whatever comes in, the answer is a number or none, and the program goes on.
    @Test(arguments: [0, 0.1, -1, .nan, .infinity, -.infinity, 1e308, -1e308, 0x1p-1074, 1e-160] as [Double])
    func extremes(value: Double) {
        for visitors in [Int.min, -1, 0, 1, 2, 100, .max] {
            for other in [value, 0, 1, .nan] {
                let rows = [
                    Distribution.Row(
                        arm: 0, count: .max, revenue: .min, value: value, before: other, visitors: visitors),
                    Distribution.Row(arm: 0, count: .min, revenue: .max, value: other, visitors: visitors),
                    Distribution.Row(arm: 1, day: .max, count: 1, revenue: 1, value: other, visitors: visitors),
                    Distribution.Row(arm: 1, day: .min, revenue: .max, value: value, before: value, visitors: visitors),
                    Distribution.Row(arm: -1, visitors: 5), Distribution.Row(arm: 2, visitors: 5),
                ]
                for metric in [
                    Metric(.conversion), Metric(.count), Metric(.revenue, winsorisedAt: value), Metric(.value),
                    Metric(.value, per: .revenue), Metric(.revenue, per: .value, winsorisedAt: 0.5),
                ] {
                    check(MetricHistory(metric, in: Distribution(arms: 2, rows: rows)), value)
                }
            }
        }
        #expect(MetricHistory(Metric(.count), in: Distribution(arms: .min, rows: [])).days.isEmpty)
        _ = FalseDiscoveryRate.adjusted([value, 0.5, value])
        _ = SampleRatioTest(weights: [value, 1, value], concentration: value)?.pValues(at: [
            [1, 2, 3], [.max, .min, 0],
        ])
        #expect(SampleSize(alpha: value, power: value).perArm(rate: value, difference: value)?.isFinite != false)
        #expect(
            SampleSize(alpha: value).ofControl(deviation: value, difference: value, ratio: value)?.isFinite != false)
    }

    private func check(_ history: MetricHistory, _ value: Double) {
        for test in [
            self.test, EffectTest(.fixedHorizon), EffectTest(.alwaysValid(plannedVisitors: .min), alpha: value),
            EffectTest(.fixedHorizon, alpha: value),
        ] {
            for look in test.looks(at: history.comparisons(of: 1, with: 0, isAdjusted: true)) {
                guard let look else { continue }
                #expect((0...1).contains(look.pValue) && look.comparison.difference.value.isFinite)
                let ends = [look.interval, look.lift?.interval].compactMap(\.self).flatMap { [$0.lower, $0.upper] }
                #expect(ends.allSatisfy(\.isFinite) && look.lift?.value.isFinite != false)
                #expect(look.interval.map { $0.lower <= $0.upper } != false)
            }
        }
    }
}
