/// A metric of an experiment: an event and how it is counted. The file spells it `purchase.revenue`, or by its name.
package struct ExperimentMetric: Sendable, Equatable {
    /// The counted quantity of an event.
    package enum Aggregation: String, Sendable, CaseIterable {
        /// The users with at least one such event.
        case unique
        case total
        /// The sum of the events' `revenue`.
        case revenue
        /// The sum of the events' `value`.
        case value
        /// The mean `revenue` of all events: a mean over events, not over users.
        case revenuePerConversion = "revenue_per_conversion"
        /// The mean `value` of all events: a mean over events, not over users.
        case valuePerConversion = "value_per_conversion"

        /// Whether it is a mean over events, and not over users.
        package var isPerConversion: Bool { self == .revenuePerConversion || self == .valuePerConversion }
    }

    /// Which change is an improvement.
    package enum Direction: String, Sendable, CaseIterable {
        /// More is better.
        case increase
        case decrease
    }

    /// The name in the project's `metrics`; nil for a metric that a rule spells itself.
    package var name: String?
    /// The key of the event.
    package var event: String
    package var aggregation: Aggregation
    /// Which change is an improvement. Default: increase.
    package var direction = Direction.increase
    /// The days after a user's first exposure in which events count; nil for all. Default: nil.
    package var windowDays: Int?
    /// The percentile, in hundredths, that the sums of users are limited to: 9,990 is 99.9 %; nil for no limit.
    /// Default: nil.
    package var winsorising: Int?
    package var origin = SourceOrigin()

    package init(
        event: String, aggregation: Aggregation, direction: Direction = .increase, origin: SourceOrigin = SourceOrigin()
    ) {
        self.event = event
        self.aggregation = aggregation
        self.direction = direction
        self.origin = origin
    }

    /// The spelling in a rule: the name, or `purchase.revenue`.
    package var spelling: String { name ?? "\(event).\(aggregation.rawValue)" }
}

/// A metric with a name, which rules refer to.
package struct AuthoredMetric: RenamablePart, Sendable {
    /// The name.
    package let key: String
    /// The name it had before.
    package var formerKey: String?
    /// What is measured.
    package var metric: ExperimentMetric
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []

    package init(key: String, _ metric: ExperimentMetric) {
        self.key = key
        self.metric = metric
        self.metric.name = key
    }

    var origin: SourceOrigin { metric.origin }
}

/// What a project file says of an experiment's results. The datafile does not contain it.
package struct ExperimentDesign: Sendable, Equatable {
    /// The metrics, the primary one first.
    package var metrics: [ExperimentMetric] = []
    /// The size; nil if none was fixed.
    package var plan: ExperimentPlan?
    /// The keys of the variations, the control first.
    package var variations: [String] = []

    package init(_ metrics: [ExperimentMetric] = []) { self.metrics = metrics }
}

/// The size of an experiment, which is fixed before the first look at its results.
package struct ExperimentPlan: Sendable, Equatable {
    /// The users of all variations together.
    package var visitors: Int
    /// The expected number of new users a day; nil if it is not known. Default: nil.
    package var perDay: Int?

    package init(visitors: Int, perDay: Int? = nil) {
        self.visitors = visitors
        self.perDay = perDay
    }

    /// The days that it takes, if the number of users a day is known.
    var days: Int? { perDay.map { (visitors - 1) / $0 + 1 } }
}
