/// The events from which a bandit learns: the exposures of a rule, and the conversions that its metric counts.
package struct RuleOutcomes: Sendable, Equatable {
    package var projectID: String
    package var ruleID: String
    /// The key of the metric's event.
    package var eventKey: String
    /// The first time, in milliseconds since 1970.
    package var start: Int64

    package init(projectID: String, ruleID: String, eventKey: String, start: Int64) {
        self.projectID = projectID
        self.ruleID = ruleID
        self.eventKey = eventKey
        self.start = start
    }
}

/// An event of a visitor.
package struct RuleOutcome: Sendable {
    /// The kind of an event.
    package enum Kind: Sendable {
        /// The visitor got a variation, by id.
        case exposure(variationID: String)
        case conversion(revenue: Int64?, value: Double?)
    }

    /// A number that stands for the visitor.
    package var visitor: Int64
    /// The kind of the event.
    package var kind: Kind

    package init(visitor: Int64, _ kind: Kind) {
        self.visitor = visitor
        self.kind = kind
    }
}

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

    /// Adds a conversion's revenue, or several. Sums beyond 64 bits stay at the limit.
    package mutating func add(_ count: Int, revenue: Int64) {
        self.count = Self.sum(self.count, count)
        self.revenue = Self.sum(self.revenue, revenue)
    }

    private static func sum<Number: FixedWidthInteger>(_ left: Number, _ right: Number) -> Number {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? (right < 0 ? .min : .max) : sum
    }

    /// Adds conversions with the sum of their revenue, as a database computes it.
    mutating func add(_ count: Int, sum: Double) {
        add(count, revenue: Int64(exactly: sum.rounded()) ?? (sum < 0 ? .min : .max))
    }
}
