package import TurnoutEngine

/// The rules of a flag in an environment.
package struct AuthoredRules: Sendable, Equatable {
    /// Whether the rules apply; otherwise everyone gets `off`. Default: `true`.
    package var isEnabled = true
    /// Experiments and bandits, in the order of evaluation. They come before all deliveries.
    package var experiments: [AuthoredExperiment] = []
    /// Targeted deliveries, in the order of evaluation.
    package var deliveries: [AuthoredDelivery] = []
    /// The variation of everyone else. Default: `off`.
    package var everyoneElse: EveryoneElse? = EveryoneElse()
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's rollout as they are.
    package var verbatim: [String: JSONValue] = [:]

    /// Creates rules that give everyone `off`.
    package init() {}
}

/// The last delivery of a flag, for users that no rule matches.
package struct EveryoneElse: Sendable, Equatable {
    /// The key of the variation. Default: `off`.
    package var variation = AuthoredVariation.offKey
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's rule as they are.
    package var verbatim: [String: JSONValue] = [:]

    /// Creates the rule that gives everyone else `off`.
    package init() {}
}

/// A rule that gives one variation to a share of an audience.
package struct AuthoredDelivery: Sendable, Equatable {
    /// The key, unique in the environment.
    package var key: String
    /// The key it had before, whose ids it keeps.
    package var formerKey: String?
    /// The key of the variation.
    package var variation: String
    /// The users it is for; nil for all.
    package var audience: AuthoredCondition?
    /// The share of these users who get it. Default: all.
    package var traffic = TrafficShare.all
    /// Whether it applies. A delivery that does not is left out of the datafile. Default: `true`.
    package var isEnabled = true
    /// Variations of this rule alone, which replace the flag's.
    package var variations: [AuthoredVariation] = []
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's rule as they are.
    package var verbatim: [String: JSONValue] = [:]

    /// Creates a delivery to everyone.
    package init(key: String, variation: String, origin: SourceOrigin = SourceOrigin()) {
        self.key = key
        self.variation = variation
        self.origin = origin
    }
}
