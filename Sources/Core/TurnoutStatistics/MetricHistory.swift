/// A metric after each day of an experiment.
package struct MetricHistory: Sendable {
    /// Arms with fewer visitors are not compared.
    package static let minimumVisitors = 100
    /// A ratio of arms with a smaller denominator is not compared: with few conversions its variance is far too small.
    package static let minimumDenominator = 20.0
    /// The least share of visitors that the adjustment by earlier numbers needs.
    private static let minimumShareWithBefore = 0.3

    /// What is known at the end of a day.
    package struct Day: Sendable {
        package let day: Int
        /// The sums of each arm, over all its visitors until then.
        package let arms: [Moments]
    }

    package let metric: Metric
    /// The amount that greater ones were cut to; nil if amounts are not cut.
    package let cap: Double?
    /// Whether enough visitors have a number from before their first exposure to adjust means by it.
    package let isAdjustable: Bool
    /// The days with first exposures, in order.
    package let days: [Day]

    /// Adds up a metric.
    ///
    /// - Complexity: O(n log n) in the number of rows.
    package init(_ metric: Metric, in distribution: Distribution) {
        let cap =
            metric.quantity == .conversion
            ? nil : metric.percentile.flatMap { distribution.amount(of: metric.quantity, atPercentile: $0) }
        self.metric = metric
        self.cap = cap
        isAdjustable = metric.denominator == nil && distribution.shareWithBefore >= Self.minimumShareWithBefore
        var days: [Day] = []
        var arms = Array(repeating: Moments(), count: distribution.arms)
        let rows = distribution.rows.sorted { $0.day < $1.day }
        for (index, row) in rows.enumerated() {
            let limit = cap ?? .infinity
            let amount = min(row.amount(of: metric.quantity), limit)
            let companion = metric.denominator.map(row.amount) ?? min(row.before ?? 0, limit)
            arms[row.arm].add(amount, with: companion, visitors: row.visitors)
            if index + 1 == rows.count || rows[index + 1].day != row.day { days.append(Day(day: row.day, arms: arms)) }
        }
        self.days = days
    }

    /// Compares an arm with the control after each day; nil while there are too few visitors or conversions.
    ///
    /// - Parameters:
    ///   - arm: The index of the arm.
    ///   - control: The index of the control.
    ///   - isAdjusted: Whether means are adjusted by the numbers from before the first exposure; only if
    ///     ``isAdjustable``.
    /// - Returns: A comparison for each day.
    package func comparisons(of arm: Int, with control: Int, isAdjusted: Bool = false) -> [Comparison?] {
        days.map { day in
            guard day.arms.indices.contains(arm), day.arms.indices.contains(control) else { return nil }
            let (control, treatment) = (day.arms[control], day.arms[arm])
            guard min(control.visitors, treatment.visitors) >= Self.minimumVisitors,
                metric.denominator == nil
                    || min(control.companionTotal, treatment.companionTotal) >= Self.minimumDenominator
            else { return nil }
            return Comparison(control, treatment, of: metric, isAdjusted: isAdjusted && isAdjustable)
        }
    }
}
