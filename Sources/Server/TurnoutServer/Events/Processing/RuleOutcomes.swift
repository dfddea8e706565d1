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
