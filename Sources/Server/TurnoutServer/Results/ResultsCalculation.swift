import TurnoutFlags
import TurnoutStatistics

/// Computes the results of an experiment from its history and its distribution.
struct ResultsCalculation {
    private let experiment: RecordedExperiment
    private let distribution: ResultDistribution
    private let plannedVisitors: Int
    /// The probability of an error of one comparison by the primary metric: all of them share that of the experiment.
    private let alpha: Double

    init(_ experiment: RecordedExperiment, _ distribution: ResultDistribution) {
        self.experiment = experiment
        self.distribution = distribution
        plannedVisitors = experiment.plannedVisitors ?? ExperimentResults.standardSize
        alpha = ExperimentResults.alpha / Double(max(1, experiment.variations.count - 1))
    }

    func results() -> ExperimentResults {
        var results = ExperimentResults(experiment: experimentValues)
        results.arms = arms
        results.lastDay = distribution.visitors.map { Int64($0.day) }.max()
        results.ratio = ratio
        results.metrics = metrics
        results.leftOut = ResultDistribution.Reason.allCases.compactMap { reason in
            guard let counts = distribution.leftOut[reason], counts.contains(where: { $0 > 0 }) else { return nil }
            let unit = reason.countsVisitors ? "visitors" : "exposures"
            return .init(reason: reason.rawValue, unit: unit, counts: counts)
        }
        if results.ratio?.isOff == true {
            results.sources = distribution.sources.map {
                .init(
                    variation: experiment.variations[$0.arm].key, client: $0.client, version: $0.version,
                    day: Int64($0.day), visitors: $0.visitors)
            }
        }
        results.daysToGo = daysToGo
        results.conclude()
        return results
    }

    private var experimentValues: ExperimentResults.Experiment {
        .init(
            id: experiment.id, key: experiment.key, flag: experiment.flag, environment: experiment.environment,
            projectID: experiment.projectID, isRunning: experiment.isRunning, start: experiment.start,
            stop: experiment.stop, plannedVisitors: plannedVisitors, isPlanned: experiment.plannedVisitors != nil)
    }

    // MARK: Visitors

    private var arms: [ExperimentResults.Arm] {
        experiment.variations.enumerated().map { index, variation in
            var (total, days): (Int, [ExperimentResults.DayCount]) = (0, [])
            for row in distribution.visitors where row.arm == index {
                total += row.visitors
                days.append(.init(day: Int64(row.day), visitors: total))
            }
            return .init(key: variation.key, id: variation.id, visitors: total, byDay: days)
        }
    }

    /// The days until the planned size, at the mean rate of the last seven days with data.
    private var daysToGo: Int? {
        guard experiment.isRunning, experiment.plannedVisitors != nil, let last = distribution.visitors.map(\.day).max()
        else { return nil }
        let visitors = distribution.visitors.reduce(0) { $0 + $1.visitors }
        let recent = distribution.visitors.filter { $0.day > last - 7 }
        let days = last - (recent.map(\.day).min() ?? last) + 1
        let rate = Double(recent.reduce(0) { $0 + $1.visitors }) / Double(days)
        guard visitors < plannedVisitors, rate > 0 else { return nil }
        return Int((Double(plannedVisitors - visitors) / rate).rounded(.up))
    }

    /// The test of each planned split. Visitors of the day on which the split changed belong to neither.
    private var ratio: ExperimentResults.Ratio? {
        let splits = experiment.splits
        let periods = splits.enumerated().compactMap { index, split -> ExperimentResults.Ratio.Period? in
            // A visitor of an arm that gets nobody was exposed with another datafile: no evidence of a loss.
            let tested = split.weights.indices.filter { split.weights[$0] > 0 }
            guard let test = SampleRatioTest(weights: tested.map { split.weights[$0] }) else { return nil }
            let first = index == 0 ? Int.min : split.day + 1
            let end = index + 1 < splits.count ? splits[index + 1].day : Int.max
            let rows = distribution.visitors.filter { $0.day >= first && $0.day < end }
            var visitors = experiment.variations.map { _ in 0 }
            let looks = Dictionary(grouping: rows, by: \.day).sorted { $0.key < $1.key }.map { _, rows in
                for row in rows { visitors[row.arm] += row.visitors }
                return tested.map { visitors[$0] }
            }
            let total = split.weights.reduce(0, +)
            return .init(
                since: split.since, shares: split.weights.map { $0 / total }, visitors: visitors,
                p: test.pValues(at: looks).last ?? 1, chiSquareP: test.chiSquare(tested.map { visitors[$0] }).pValue)
        }
        guard !periods.isEmpty else { return nil }
        let alarm = SampleRatioTest.alarm / Double(periods.count)
        return .init(isOff: periods.contains { $0.p < alarm }, periods: periods)
    }

    // MARK: Metrics

    /// A metric day by day, with the same before the first exposure if that adjusts it.
    private struct History {
        let metric: ExperimentMetric
        let outcomes: ResultDistribution.Metric
        let days: MetricHistory
        let before: MetricHistory?
    }

    private var metrics: [ExperimentResults.Metric] {
        let histories = zip(experiment.metrics, distribution.metrics).map { metric, outcomes in
            let numbers = Distribution(arms: experiment.variations.count, rows: rows(outcomes.rows, metric))
            let days = MetricHistory(metric.statistic, in: numbers)
            let before = days.isAdjustable ? MetricHistory(Metric(.before), in: numbers) : nil
            return History(metric: metric, outcomes: outcomes, days: days, before: before)
        }
        guard let first = histories.first else { return [] }
        var primary = metric(first, test(alpha, tuning: alpha), isPrimary: true)
        for (index, comparison) in primary.comparisons.enumerated() {
            primary.comparisons[index].adjustedP = comparison.p.map { min(1, $0 * ExperimentResults.alpha / alpha) }
        }
        return [primary] + secondaries(Array(histories.dropFirst()))
    }

    /// The metrics that are decided together (Benjamini and Hochberg). Their intervals have the level at which that
    /// decides, so that one excludes 0 where there is an effect (Y. Benjamini, D. Yekutieli: *False Discovery
    /// Rate-Adjusted Multiple Confidence Intervals*, Journal of the American Statistical Association 100 (2005)).
    private func secondaries(_ histories: [History]) -> [ExperimentResults.Metric] {
        let arms = experiment.variations.indices.dropFirst()
        let pValues = histories.flatMap { history in
            arms.compactMap { comparison(of: $0, history, test(ExperimentResults.alpha)).p }
        }
        let rate = ExperimentResults.falseDiscoveryRate
        var adjusted = FalseDiscoveryRate.adjusted(pValues)[...]
        let level = rate * Double(max(1, adjusted.count { $0 <= rate })) / Double(max(1, adjusted.count))
        return histories.map { history in
            var metric = metric(history, test(level), isPrimary: false)
            for (index, comparison) in metric.comparisons.enumerated() where comparison.p != nil {
                metric.comparisons[index].adjustedP = adjusted.removeFirst()
            }
            return metric
        }
    }

    private func test(_ level: Double, tuning: Double = ExperimentResults.alpha) -> EffectTest {
        let planned = plannedVisitors * 2 / max(2, experiment.variations.count)
        return EffectTest(.alwaysValid(plannedVisitors: planned), alpha: level, tuning: tuning)
    }

    private func metric(_ history: History, _ test: EffectTest, isPrimary: Bool) -> ExperimentResults.Metric {
        let (metric, outcomes, last) = (history.metric, history.outcomes, history.days.days.last?.arms)
        let cap = history.days.cap.map { cap in
            ExperimentResults.Cap(
                percentile: Double(metric.winsorising ?? 0) / 100, value: cap,
                visitors: outcomes.rows.reduce(0) { $0 + (metric.amount(of: $1.totals) > cap ? $1.visitors : 0) })
        }
        let arms = experiment.variations.indices
        let samples = arms.map { arm in last.flatMap { Sample($0[arm], of: metric.statistic) } }
        return ExperimentResults.Metric(
            name: metric.spelling, event: metric.event, count: metric.aggregation.rawValue,
            decreaseIsBetter: metric.direction == .decrease, isPrimary: isPrimary, confidence: 1 - test.alpha,
            windowDays: metric.windowDays.map(Double.init), winsorised: cap,
            means: samples.map { $0?.mean }, visitors: arms.map { last?[$0].visitors ?? 0 },
            unfinished: outcomes.unfinished, corrected: outcomes.corrected,
            comparisons: arms.dropFirst().map { comparison(of: $0, history, test) })
    }

    /// The numbers of a metric. Of visitors who only convert or not there are few different ones.
    private func rows(_ rows: [ResultDistribution.OutcomeRow], _ metric: ExperimentMetric) -> [Distribution.Row] {
        rows.reduce(into: []) { joined, row in
            let before = row.before == .init() ? nil : metric.amount(of: row.before)
            var next = Distribution.Row(arm: row.arm, day: row.day, before: before, visitors: row.visitors)
            if metric.aggregation == .unique {
                next.count = min(row.totals.count, 1)
            } else {
                (next.count, next.revenue, next.value) = (row.totals.count, row.totals.revenue, row.totals.value)
            }
            if let last = joined.last, last.isSimilar(to: next) {
                joined[joined.count - 1].visitors += next.visitors
            } else {
                joined.append(next)
            }
        }
    }

    private func comparison(of arm: Int, _ history: History, _ test: EffectTest) -> ExperimentResults.Comparison {
        var result = ExperimentResults.Comparison(variation: experiment.variations[arm].key)
        let comparisons = history.days.comparisons(of: arm, with: 0, isAdjusted: true)
        guard let present = comparisons.last ?? nil else { return result }
        // A part of a negative number would have the wrong sign.
        let hasLift = comparisons.allSatisfy { $0?.control.unadjustedMean ?? 0 >= 0 }
        // What is shown is what is tested: the lift, unless its linear interval would be wrong.
        result.isRelative = hasLift && present.uncertainty(alpha: test.tuning) <= Comparison.linearLimit
        let effect = result.isRelative ? \Comparison.relativeDifference : \Comparison.difference
        let estimate = present[keyPath: effect]
        let looks = test.looks(at: comparisons) { $0[keyPath: effect] }
        result.looks = zip(history.days.days, looks).compactMap { day, look in
            guard let look, let interval = look.interval else { return nil }
            return .init(
                day: Int64(day.day), visitors: day.arms[0].visitors + day.arms[arm].visitors,
                effect: .init(look.comparison[keyPath: effect].value, interval), p: look.pValue)
        }
        guard let last = looks.last ?? nil else { return result }
        result.p = last.pValue
        result.effectHasChanged = last.interval == nil
        let shown = last.interval.map { ExperimentResults.Estimate(estimate.value, $0) }
        result.difference = lastLook(comparisons, test)?.interval.map { .init(present.difference.value, $0) }
        if hasLift { result.lift = result.isRelative ? shown : last.lift.map { .init($0.value, $0.interval) } }
        result.isSignificant = shown?.excludesZero ?? false
        result.isIncrease = shown.map { $0.value > 0 } ?? false
        // Earlier looks may have had a difference, but no lift.
        if result.lift?.excludesZero != result.isSignificant { result.lift = nil }
        let fixed = EffectTest(.fixedHorizon, alpha: test.alpha)
        result.fixedHorizonP = fixed.pValue(of: estimate)
        result.fixedHorizon = fixed.interval(of: estimate).map { .init(estimate.value, $0) }
        guard present.theta != nil else { return result }
        result.pBefore = history.before.flatMap { lastLook($0.comparisons(of: arm, with: 0), test)?.pValue }
        let plain = history.days.comparisons(of: arm, with: 0)
        if hasLift { result.unadjustedLift = lastLook(plain, test)?.lift.map { .init($0.value, $0.interval) } }
        if let variance = (plain.last ?? nil)?.control.variance, variance > 0 {
            result.explainedVariance = 1 - present.control.variance / variance
        }
        return result
    }

    private func lastLook(_ comparisons: [Comparison?], _ test: EffectTest) -> Look? {
        test.looks(at: comparisons).last ?? nil
    }
}

extension ExperimentResults.Estimate {
    fileprivate var excludesZero: Bool { low > 0 || high < 0 }

    fileprivate init(_ value: Double, _ interval: Interval) {
        // Earlier looks may have refuted today's estimate.
        self.init(value: min(max(value, interval.lower), interval.upper), low: interval.lower, high: interval.upper)
    }
}

extension Distribution.Row {
    fileprivate func isSimilar(to other: Distribution.Row) -> Bool {
        (arm, day, count, revenue, value, before)
            == (other.arm, other.day, other.count, other.revenue, other.value, other.before)
    }
}

extension ResultDistribution.Reason {
    fileprivate var countsVisitors: Bool {
        switch self {
        case .forced, .excluded, .bots, .crossed: true
        case .correctedTime, .beforeStart, .afterStop: false
        }
    }
}

extension ExperimentMetric {
    fileprivate var statistic: Metric {
        let percentile = winsorising.map { Double($0) / 10_000 }
        return switch aggregation {
        case .unique: Metric(.conversion)
        case .total: Metric(.count, winsorisedAt: percentile)
        case .revenue: Metric(.revenue, winsorisedAt: percentile)
        case .value: Metric(.value, winsorisedAt: percentile)
        case .revenuePerConversion: Metric(.revenue, per: .count, winsorisedAt: percentile)
        case .valuePerConversion: Metric(.value, per: .count, winsorisedAt: percentile)
        }
    }

    fileprivate func amount(of totals: ResultDistribution.Totals) -> Double {
        switch aggregation {
        case .unique: totals.count > 0 ? 1 : 0
        case .total: Double(totals.count)
        case .revenue, .revenuePerConversion: Double(totals.revenue)
        case .value, .valuePerConversion: totals.value
        }
    }
}
