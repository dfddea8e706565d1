import TurnoutEngine
package import TurnoutFlags

/// The metric of a rule as a setting spells it: `checkout_bandit=purchase.revenue`.
package struct BanditMetric: Sendable, Equatable {
    /// The key or the id of the rule.
    package let rule: String
    package let metric: ExperimentMetric

    /// Reads a text; nil if it has another form, or a mean over events, from which no bandit learns.
    package init?(_ text: String) {
        guard let equals = text.firstIndex(of: "="), let point = text.lastIndex(of: "."), point > equals,
            let aggregation = ExperimentMetric.Aggregation(rawValue: String(text[text.index(after: point)...])),
            !aggregation.isPerConversion
        else { return nil }
        rule = String(text[..<equals])
        let event = String(text[text.index(after: equals)..<point])
        guard !rule.isEmpty, !event.isEmpty else { return nil }
        metric = ExperimentMetric(event: event, aggregation: aggregation)
    }

    /// Whether the rule is meant.
    func names(_ other: Rule) -> Bool { rule == other.key || rule == other.id }

    package var text: String { "\(rule)=\(metric.event).\(metric.aggregation.rawValue)" }
}
