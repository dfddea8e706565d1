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
package struct AuthoredDelivery: AuthoredPart, Sendable {
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

/// A mutual-exclusion group: a user takes part in at most one of its experiments.
package struct AuthoredGroup: AuthoredPart, Sendable {
    package var key: String
    /// The key it had before, whose id it keeps.
    package var formerKey: String?
    /// Whether the experiments exclude each other. Default: `true`.
    package var isExclusive = true
    /// The experiments, each with its share of users, in the order of the file.
    package var members: [GroupMember]
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's group as they are.
    package var verbatim: [String: JSONValue] = [:]

    package init(key: String, members: [GroupMember], origin: SourceOrigin = SourceOrigin()) {
        self.key = key
        self.members = members
        self.origin = origin
    }
}

/// An experiment in a mutual-exclusion group.
package struct GroupMember: Sendable, Equatable {
    package var experiment: RuleReference
    /// The share of users it is for.
    package var traffic: TrafficShare

    package init(_ experiment: RuleReference, traffic: TrafficShare) {
        self.experiment = experiment
        self.traffic = traffic
    }
}

/// The name of a rule in another part of the file: `checkout/checkout_ab`, or `checkout_ab` without a flag.
package struct RuleReference: Sendable, Hashable {
    /// The key of the flag; nil for an experiment without a flag.
    package var flag: String?
    /// The key of the rule.
    package var rule: String
    package var origin = SourceOrigin()

    package init(flag: String?, rule: String, origin: SourceOrigin = SourceOrigin()) {
        self.flag = flag
        self.rule = rule
        self.origin = origin
    }

    /// `checkout/checkout_ab`: the spelling of project files.
    package var name: String { flag.map { "\($0)/\(rule)" } ?? rule }
}

/// A share of users who stay out of experiments and deliveries.
package struct AuthoredHoldout: AuthoredPart, Sendable {
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
