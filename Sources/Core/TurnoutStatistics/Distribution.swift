/// How many visitors of an experiment have the same numbers: all that its results are computed from.
package struct Distribution: Sendable {
    /// Visitors of an arm who were first exposed on the same day and have the same sums of conversions.
    package struct Row: Sendable {
        /// The index of the arm.
        package var arm: Int
        /// The day of the first exposure. Days only need an order.
        package var day: Int
        /// How many conversions each of them has; 0 without any.
        package var count: Int
        /// The sum of the revenue of these, in cents.
        package var revenue: Int64
        /// The sum of their values.
        package var value: Double
        /// The same metric before the first exposure; nil if nothing is known of that time, which counts as 0.
        package var before: Double?
        /// How many visitors they are.
        package var visitors: Int

        package init(
            arm: Int, day: Int = 0, count: Int = 0, revenue: Int64 = 0, value: Double = 0, before: Double? = nil,
            visitors: Int
        ) {
            self.arm = arm
            self.day = day
            self.count = count
            self.revenue = revenue
            self.value = value
            self.before = before
            self.visitors = visitors
        }

        /// What a metric counts of each visitor.
        func amount(of quantity: Metric.Quantity) -> Double {
            switch quantity {
            case .conversion: count > 0 ? 1 : 0
            case .count: Double(count)
            case .revenue: Double(revenue)
            case .value: value
            case .before: before ?? 0
            }
        }
    }

    /// The number of arms, including those without visitors.
    package let arms: Int
    /// The rows, in any order.
    package let rows: [Row]

    /// Creates a distribution. Rows of other arms, and those without visitors, are left out.
    package init(arms: Int, rows: [Row]) {
        self.arms = max(0, arms)
        self.rows = rows.filter { $0.arm >= 0 && $0.arm < arms && $0.visitors > 0 }
    }

    /// The share of visitors with a number from before their first exposure; 0 without visitors.
    package var shareWithBefore: Double {
        rows.isEmpty ? 0 : Self.visitors(of: rows.lazy.filter { $0.before != nil }) / Self.visitors(of: rows)
    }

    /// The smallest amount that at least a given share of visitors do not exceed: the nearest rank over the visitors of
    /// all arms, those without conversions included. Nil without visitors.
    package func amount(of quantity: Metric.Quantity, atPercentile percentile: Double) -> Double? {
        let rank = (percentile * Self.visitors(of: rows)).rounded(.up)
        var reached = 0.0
        return rows.map { (amount: $0.amount(of: quantity), visitors: $0.visitors) }.sorted { $0.amount < $1.amount }
            .first {
                reached += Double($0.visitors)
                return reached >= rank
            }?.amount
    }

    private static func visitors(of rows: some Sequence<Row>) -> Double { rows.reduce(0) { $0 + Double($1.visitors) } }
}
