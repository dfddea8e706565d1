import Testing
import TurnoutFlags
import TurnoutReports

@testable import TurnoutServer

/// What is said of an experiment, from the numbers of its visitors.
@Suite struct ResultsCalculationTests {
    private typealias Outcome = ResultDistribution.OutcomeRow

    /// An experiment with the arms `off` and `big`, half of the traffic each, that ran from day 0 on.
    private func experiment(
        metrics: [ExperimentMetric] = [ExperimentMetric(event: "purchase", aggregation: .unique)],
        weights: [[Int]] = [[5_000, 5_000]], variations: [String] = ["off", "big"], planned: Int? = 10_000
    ) -> RecordedExperiment {
        RecordedExperiment(
            projectID: "p", id: "1", environment: "production", key: "test", flag: "checkout",
            variations: variations.map { .init(id: $0, key: $0) }, metrics: metrics, plannedVisitors: planned,
            periods: weights.enumerated().map { index, weights in
                let shares = Dictionary(uniqueKeysWithValues: zip(variations, weights))
                return .init(
                    since: Int64(index) * 10 * 86_400_000, revision: "\(index)",
                    plan: .init(status: "Running", traffic: 10_000, weights: shares, allowList: [], kind: "ab"))
            })
    }

    /// Visitors by arm on each day, of whom some have converted.
    private func distribution(_ days: [[(visitors: Int, conversions: Int)]], metrics: Int = 1) -> ResultDistribution {
        let arms = days.first?.count ?? 2
        var result = ResultDistribution(arms: (0..<arms).map { ["off", "big", "small"][$0] }, leftOut: [:])
        var metric = ResultDistribution.Metric(arms: arms)
        for (day, counts) in days.enumerated() {
            for (arm, count) in counts.enumerated() {
                result.visitors.append(.init(arm: arm, day: day, visitors: count.visitors))
                var converted = ResultDistribution.Totals()
                (converted.count, converted.revenue) = (1, 500)
                metric.rows.append(Outcome(arm: arm, day: day, totals: converted, visitors: count.conversions))
                metric.rows.append(Outcome(arm: arm, day: day, visitors: count.visitors - count.conversions))
            }
        }
        result.metrics = Array(repeating: metric, count: metrics)
        return result
    }

    private func results(
        _ distribution: ResultDistribution, of experiment: RecordedExperiment? = nil
    ) -> ExperimentResults {
        ResultsCalculation(experiment ?? self.experiment(), distribution).results()
    }

    @Test func withoutVisitorsThereIsNoResult() {
        let results = results(distribution([[(0, 0), (0, 0)]]))
        #expect(results.state == .noData)
        #expect(results.verdict == "No data yet: no client has reported a visitor of test.")
    }

    @Test func anArmNeedsAHundredVisitors() {
        let results = results(distribution([[(40, 4), (37, 3)]]))
        #expect(results.state == .notEnough)
        #expect(results.verdict == "Not enough data yet: 37 of 100 visitors in big.")
        #expect(results.primary.allSatisfy { $0.lift == nil && $0.looks.isEmpty })
    }

    @Test func aRatioThatIsOffEndsAllComparisons() {
        let results = results(distribution([[(5_000, 500), (4_400, 900)]]))
        #expect(results.state == .ratioIsOff)
        #expect(results.verdict.contains("big has 4,400 visitors instead of 4,700"))
        let text = results.report().text()
        #expect(text.contains("the ratio is off") && !text.contains("Metrics"))
    }

    @Test(arguments: [(900, ExperimentResults.State.better), (200, .harmed), (505, .undecided)])
    func aVariationIsComparedWithTheControl(conversions: Int, state: ExperimentResults.State) {
        let results = results(distribution([[(5_000, 500), (5_000, conversions)]]))
        #expect(results.state == state, "\(results.verdict)")
        #expect(results.verdict.contains(state == .undecided ? "is shown yet" : "than off by purchase.unique"))
    }

    @Test func lessIsBetterIfTheMetricSaysSo() {
        let metric = ExperimentMetric(event: "refund", aggregation: .unique, direction: .decrease)
        let results = results(distribution([[(5_000, 900), (5_000, 500)]]), of: experiment(metrics: [metric]))
        #expect(results.state == .better)
    }

    @Test func aNegativeMeanHasNoLift() throws {
        var distribution = distribution([[(4_000, 2_000), (4_000, 1_500)]])
        distribution.metrics[0].rows = distribution.metrics[0].rows.map { row in
            var row = row
            row.totals.revenue.negate()
            return row
        }
        let metric = ExperimentMetric(event: "refund", aggregation: .revenue)
        let results = results(distribution, of: experiment(metrics: [metric]))
        let comparison = try #require(results.primary.first)
        #expect(results.state == .better && comparison.lift == nil && !comparison.isRelative)
        #expect(try #require(comparison.difference).low > 0)
    }

    @Test func theVerdictSaysWhatEveryArmHasShown() {
        var three = experiment(weights: [[1, 1, 1]], variations: ["off", "big", "small"])
        let numbers = distribution([[(5_000, 500), (5_000, 700), (5_000, 300)]])
        let verdict = results(numbers, of: three).verdict
        #expect(verdict.contains("small is worse than off by purchase.unique: −40"), "\(verdict)")
        #expect(verdict.contains("%). big is better than off by purchase.unique: +40"), "\(verdict)")
        three.periods.append(.init(since: 86_400_000, revision: "2", plan: three.periods[0].plan))
        three.periods[1].plan.status = "Paused"
        let equal = distribution([[(5_000, 500), (5_000, 505), (40, 3)]])
        let text = results(equal, of: three).report().text()
        #expect(text.hasPrefix("These numbers cannot be trusted: off has 5,000 visitors instead of 3,347, "))
        #expect(text.contains("; stopped on 1970-01-02"))
        three.periods = three.periods.map { period in
            var period = period
            period.plan.weights["small"] = 0
            return period
        }
        let stopped = results(equal, of: three).verdict
        #expect(stopped.hasPrefix("No difference from off was shown by purchase.unique: big +"), "\(stopped)")
        #expect(stopped.hasSuffix(" Not enough data: 40 of 100 visitors in small."))
    }

    @Test func anArmWithFewVisitorsHidesNoOther() {
        let three = experiment(weights: [[1, 1, 0]], variations: ["off", "big", "small"])
        let harmed = results(distribution([[(5_000, 500), (5_000, 200), (40, 9)]]), of: three)
        #expect(harmed.state == .harmed, "\(harmed.verdict)")
        #expect(harmed.verdict.hasSuffix(" Not enough data yet: 40 of 100 visitors in small."))
        #expect(results(distribution([[(60, 5), (61, 60), (40, 9)]]), of: three).state == .notEnough)
    }

    @Test func nothingIsSaidOfAMetricThatNobodyMoved() {
        #expect(results(distribution([[(500, 0), (500, 0)]])).state == .noData)
        let metrics = ["search", "purchase"].map { ExperimentMetric(event: $0, aggregation: .total) }
        var numbers = distribution([[(5_000, 500), (5_000, 560)]], metrics: 2)
        numbers.metrics[0] = distribution([[(5_000, 0), (5_000, 0)]]).metrics[0]
        #expect(
            results(numbers, of: experiment(metrics: metrics)).verdict
                == "No result yet by search.total, the primary metric: it is 0 for all 10,000 visitors. Other "
                + "metrics have results.")
        let ratio = experiment(metrics: [ExperimentMetric(event: "purchase", aggregation: .valuePerConversion)])
        #expect(results(distribution([[(500, 19), (500, 30)]]), of: ratio).verdict.contains("needs 20 conversions"))
        let none = results(distribution([[(500, 0), (500, 0)]], metrics: 0), of: experiment(metrics: []))
        #expect(none.state == .noMetric && !none.report().text().contains("Against"))
    }

    @Test func anEffectThatTurnsIsNoSingleNumber() {
        let good = (0..<5).map { _ in [(visitors: 5_000, conversions: 500), (5_000, 900)] }
        let bad = (0..<60).map { _ in [(visitors: 5_000, conversions: 900), (5_000, 500)] }
        let metrics = ["a", "b"].map { ExperimentMetric(event: $0, aggregation: .unique) }
        let results = results(distribution(good + bad, metrics: 2), of: experiment(metrics: metrics))
        #expect(results.state == .effectHasChanged)
        #expect(results.verdict.hasPrefix("The effect of big has changed over time"))
        let secondary = results.metrics[1].comparisons[0]
        #expect(secondary.effectHasChanged && secondary.p ?? 1 < 0.01 && !secondary.isSignificant)
    }

    @Test func laterLooksForgetNothing() throws {
        let days = [[(visitors: 4_000, conversions: 300), (4_000, 480)], [(4_000, 400), (4_000, 330)]]
        let looks = try #require(results(distribution(days)).primary.first).looks
        #expect(looks.count == 2 && looks[1].p <= looks[0].p)
        #expect(looks[1].effect.low >= looks[0].effect.low && looks[1].effect.high <= looks[0].effect.high)
    }

    @Test func comparisonsShareTheProbabilityOfAnError() throws {
        let arms = [[(visitors: 5_000, conversions: 500), (5_000, 620), (5_000, 500)]]
        let three = experiment(weights: [[1, 1, 1]], variations: ["off", "big", "small"])
        let one = try #require(results(distribution([Array(arms[0].prefix(2))])).primary.first)
        let two = try #require(results(distribution(arms), of: three).primary.first)
        #expect(two.adjustedP == min(1, 2 * (two.p ?? 0)))
        let (narrow, wide) = (try #require(one.lift), try #require(two.lift))
        #expect(wide.high - wide.low > narrow.high - narrow.low)
    }

    @Test func secondaryMetricsAreAdjustedTogether() throws {
        let metrics = ["a", "b", "c"].map { ExperimentMetric(event: $0, aggregation: .total) }
        let numbers = distribution([[(5_000, 500), (5_000, 590)]], metrics: 3)
        let all = results(numbers, of: experiment(metrics: metrics))
        let secondary = all.metrics.dropFirst().compactMap(\.comparisons.first)
        #expect(secondary.count == 2 && secondary.allSatisfy { $0.adjustedP == $0.p })
        #expect(all.metrics.map(\.isPrimary) == [true, false, false])
    }

    @Test(arguments: [2, 3, 5]) func anIntervalSaysWhatIsSaidOfItsMetric(count: Int) throws {
        let metrics = (0..<count).map { ExperimentMetric(event: "m\($0)", aggregation: .unique) }
        var levels: Set<Double> = []
        for conversions in stride(from: 540, to: 720, by: 4) {
            var numbers = distribution([[(5_000, 500), (5_000, 630)]], metrics: count)
            let others = distribution([[(5_000, 500), (5_000, conversions)]])
            for place in stride(from: 1, to: count, by: 2) { numbers.metrics[place] = others.metrics[0] }
            let results = results(numbers, of: experiment(metrics: metrics))
            for metric in results.metrics {
                let comparison = metric.comparisons[0]
                let (lift, p) = (try #require(comparison.lift), try #require(comparison.adjustedP))
                #expect(comparison.isSignificant == (p <= (metric.isPrimary ? 0.05 : 0.1)))
                #expect(comparison.isSignificant == (lift.low > 0 || lift.high < 0))
                if p > 0.05, p < 0.1 { levels.insert(metric.confidence) }
            }
            let text = results.report().text()
            #expect(!text.contains(#/(\(0| 0) to .*(better|worse)|to 0 %.*(better|worse)/#), "\(text)")
            #expect(text.contains("the intervals of m0.unique have a confidence of 95.0 %"))
        }
        #expect(levels == [0.9])
    }

    @Test func aChangedSplitIsTestedByPeriod() throws {
        let days = (0..<20).map { day in
            day < 10 ? [(visitors: 500, conversions: 50), (500, 60)] : [(visitors: 900, conversions: 90), (100, 12)]
        }
        let changed = experiment(weights: [[5_000, 5_000], [9_000, 1_000]])
        let ratio = try #require(results(distribution(days), of: changed).ratio)
        #expect(ratio.periods.map(\.visitors) == [[5_000, 5_000], [8_100, 900]])
        #expect(!ratio.isOff && ratio.periods.allSatisfy { $0.p > 0.1 })
        let unchanged = try #require(results(distribution(days)).ratio)
        #expect(unchanged.isOff)
    }

    @Test func anArmWithoutAShareIsNoEvidence() throws {
        let days = (0..<20).map { _ in [(visitors: 500, conversions: 50), (500, 60), (1, 0)] }
        let weights = [[5_000, 5_000, 0], [4_000, 4_000, 2_000], [5_000, 5_000, 0]]
        let ramped = experiment(weights: weights, variations: ["off", "big", "small"])
        let ratio = try #require(results(distribution(days), of: ramped).ratio)
        #expect(ratio.periods.map(\.p).filter { $0 < 0.001 }.count == 1)
        let listed = experiment(weights: [[1, 1, 0]], variations: ["off", "big", "small"]).withoutEmptyArms
        #expect(listed.variations.map(\.key) == ["off", "big"])
        #expect(experiment(weights: [[0, 0]]).withoutEmptyArms.variations.count == 2)
    }

    @Test func aSingleArmIsComparedWithNothing() {
        let alone = experiment(weights: [[1]], variations: ["on"])
        let results = results(distribution([[(500, 50)]]), of: alone)
        #expect(results.state == .oneArm && results.report().text().contains("nothing to compare"))
    }

    @Test func visitorsWhoseWindowHasNotPassedAreAwaited() {
        var distribution = distribution([[(500, 0), (500, 0)]])
        distribution.metrics[0].rows = [Outcome(arm: 0, day: 0, visitors: 120), Outcome(arm: 1, day: 0, visitors: 80)]
        let results = results(distribution)
        #expect(results.state == .notEnough)
        #expect(results.verdict.contains("80 of 100 visitors in big whose window for purchase.unique has passed"))
    }

    @Test func whatEarlierLooksRefutedIsNotShown() throws {
        let days = [[(visitors: 4_000, conversions: 300), (4_000, 400)], [(3_000, 300), (3_000, 200)]]
        let comparison = try #require(results(distribution(days)).primary.first)
        let lift = try #require(comparison.lift)
        #expect(lift.low <= lift.value && lift.value <= lift.high)
        #expect(comparison.isSignificant == (lift.low > 0 || lift.high < 0))
        #expect(!comparison.isSignificant || comparison.isIncrease == (lift.low > 0))
    }

    @Test func theLatestOfSeveralExperimentsWithAKeyIsMeant() throws {
        var (old, new, other) = (experiment(), experiment(weights: [[1, 1], [2, 1]]), experiment())
        (old.id, new.id, other.id, other.environment) = ("1", "2", "3", "staging")
        #expect(try [old, new].named("test", in: nil).get().id == "2")
        #expect(try [old, new].named("1", in: nil).get().id == "1")
        #expect(try [old, new, other].named("checkout/test", in: "staging").get().id == "3")
        #expect(throws: ExperimentNameProblem.self) { try [old, other].named("test", in: nil).get() }
    }

    @Test func moreTrafficIsNoOtherSplit() {
        #expect(experiment(weights: [[500, 500], [5_000, 5_000]]).splits.count == 1)
    }

    @Test func eventsBeforeTheExposureNarrowTheInterval() throws {
        let metric = ExperimentMetric(event: "purchase", aggregation: .revenue)
        var distribution = distribution([[(4_000, 0), (4_000, 0)]])
        distribution.metrics[0].rows = (0..<8_000).map { number in
            var (before, totals) = (ResultDistribution.Totals(), ResultDistribution.Totals())
            (before.count, before.revenue) = (1, Int64(number / 2 * 7 % 1_000))
            (totals.count, totals.revenue) = (1, before.revenue + Int64(number * 13 % 101) + Int64(number % 2 * 20))
            return Outcome(arm: number % 2, day: 0, totals: totals, before: before, visitors: 1)
        }
        let comparison = try #require(results(distribution, of: experiment(metrics: [metric])).primary.first)
        let (lift, plain) = (try #require(comparison.lift), try #require(comparison.unadjustedLift))
        #expect(lift.high - lift.low < (plain.high - plain.low) / 2)
        #expect(try #require(comparison.explainedVariance) > 0.9)
        // The test may be looked at every day.
        #expect(comparison.pBefore == 1)
    }

    @Test func theResultsAreReadAsTheyAreWritten() throws {
        var distribution = distribution([[(5_000, 500), (5_000, 620)], [(100, 10), (100, 10)]])
        distribution.leftOut[.crossed] = [3, 4]
        let results = results(distribution)
        #expect(try ExperimentResults(json: results.json) == results)
        var unknown = results
        (unknown.state, unknown.verdict) = (.unavailable, "too large")
        let list = ExperimentSummaries([results, unknown])
        #expect(try ExperimentSummaries(json: list.json).json == list.json)
        #expect(list.experiments.map(\.visitors) == [10_200, nil])
        #expect(list.report.text().contains(results.verdict))
    }

    @Test func theReportSaysWhatWasLeftOut() {
        var distribution = distribution([[(5_000, 500), (5_000, 620)]])
        distribution.leftOut[.crossed] = [90, 95]
        let text = results(distribution).report().text()
        #expect(text.contains("visitors who got several arms") && text.contains("1.8 % of the visitors"))
    }
}
