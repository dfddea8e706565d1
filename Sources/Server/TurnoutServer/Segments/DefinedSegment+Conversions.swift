import TurnoutFlags

extension DefinedSegment {
    /// The events that its rule counts at a time, in milliseconds since 1970; nil without a rule.
    func selection(at now: Int64) -> ConversionSelection? {
        rule.map { rule in
            let days = Int64(rule.days ?? .max)
            let start = days < now / 86_400_000 ? now - days * 86_400_000 : 0
            return ConversionSelection(projectID: projectID, eventKey: rule.event, start: start)
        }
    }
}

extension SegmentRule {
    func isMet(by totals: ConversionTotals) -> Bool {
        totals.count >= times && (revenue.map { totals.revenue >= $0 } ?? true)
    }
}
