/// The conversions of a project that have a key and happened at or after a time.
package struct ConversionSelection: Sendable, Hashable {
    package var projectID: String
    package var eventKey: String
    /// The first time, in milliseconds since 1970.
    package var start: Int64

    package init(projectID: String, eventKey: String, start: Int64 = 0) {
        self.projectID = projectID
        self.eventKey = eventKey
        self.start = start
    }
}

/// How many conversions there are, and their revenue.
package struct ConversionTotals: Sendable, Equatable {
    package var count = 0
    /// The sum of their revenue, in the smallest unit of the currency.
    package var revenue: Int64 = 0

    package init() {}

    /// Adds a conversion's revenue, or several. A sum beyond 64 bits stays at the limit.
    package mutating func add(_ count: Int, revenue: Int64) {
        self.count += count
        let (sum, overflow) = self.revenue.addingReportingOverflow(revenue)
        self.revenue = overflow ? (revenue < 0 ? .min : .max) : sum
    }

    /// Adds conversions with the sum of their revenue, as a database computes it.
    mutating func add(_ count: Int, sum: Double) {
        add(count, revenue: Int64(exactly: sum.rounded()) ?? (sum < 0 ? .min : .max))
    }
}
