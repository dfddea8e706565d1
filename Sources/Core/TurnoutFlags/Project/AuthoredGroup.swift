package import TurnoutEngine

/// A mutual-exclusion group: a user takes part in at most one of its experiments.
package struct AuthoredGroup: Sendable, Equatable {
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
