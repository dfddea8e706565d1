/// What an experiment measures of each visitor.
package struct Metric: Sendable, Equatable {
    /// A number of one visitor.
    package enum Quantity: Sendable {
        /// 1 for a visitor with conversions, and 0 for the others.
        case conversion
        case count
        case revenue
        case value
        /// The number from before the first exposure, in which arms should not differ.
        case before
    }

    /// What is averaged over visitors, or the numerator of a ratio.
    package var quantity: Quantity
    /// The denominator of a ratio of two sums, such as revenue per conversion; nil for a mean per visitor.
    package var denominator: Quantity?
    /// The share of visitors whose amounts stay as they are, such as 0.999. Greater amounts are cut to the greatest one
    /// of these visitors (winsorising). Nil cuts nothing, and conversions are never cut.
    package var percentile: Double?

    package init(_ quantity: Quantity, per denominator: Quantity? = nil, winsorisedAt percentile: Double? = nil) {
        self.quantity = quantity
        self.denominator = denominator
        self.percentile = percentile
    }
}
