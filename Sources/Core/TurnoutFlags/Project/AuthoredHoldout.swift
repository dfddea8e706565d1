package import TurnoutEngine

/// A share of users who stay out of experiments and deliveries.
package struct AuthoredHoldout: Sendable, Equatable {
    package var key: String
    /// The key it had before, whose ids it keeps.
    package var formerKey: String?
    /// Whether it applies. Default: running.
    package var status = Rule.Status.running
    /// The users it is taken from; nil for all.
    package var audience: AuthoredCondition?
    /// The share of these users who are held out.
    package var traffic = TrafficShare(buckets: 0)
    /// The variations of the users. Default: `off`.
    package var split: [SplitShare] = [SplitShare(AuthoredVariation.offKey, weight: 100)]
    /// Its variations. Default: `off`, which is disabled.
    package var variations: [AuthoredVariation] = [AuthoredVariation(key: AuthoredVariation.offKey, isEnabled: false)]
    /// The rules it applies to; empty for all flags.
    package var rules: [RuleReference] = []
    /// The environments it applies in; empty for all.
    package var environments: [String] = []
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's holdout as they are.
    package var verbatim: [String: JSONValue] = [:]

    /// Creates a holdout for all flags.
    package init(key: String, traffic: TrafficShare, origin: SourceOrigin = SourceOrigin()) {
        self.key = key
        self.traffic = traffic
        self.origin = origin
    }
}
