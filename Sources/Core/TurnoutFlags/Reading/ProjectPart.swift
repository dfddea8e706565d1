import TurnoutEngine

/// The kinds of mappings with fixed keys in a project file.
package enum ProjectPart: Sendable, CaseIterable {
    case project, settings, segments, segment, segmentRule, environment, attribute, event, audience
    case flag, flagInEnvironment, deliveries, everyoneElse, variable, variation
    case experiment, bandit, rollout, delivery, experimentWithoutFlag, namedMetric, metric, plan, group, holdout
    case configuration, configuredExperiment

    package var name: String {
        switch self {
        case .project: "the project"
        case .settings: "the settings"
        case .segments: "the segments"
        case .segment: "a segment"
        case .segmentRule: "the rule of a segment"
        case .environment: "an environment"
        case .attribute: "an attribute"
        case .event: "an event"
        case .audience: "an audience"
        case .flag: "a flag"
        case .flagInEnvironment: "a flag's environment"
        case .deliveries: "a flag's rollout"
        case .everyoneElse: "the rule for everyone else"
        case .variable: "a variable"
        case .variation: "a variation"
        case .experiment: "an experiment"
        case .bandit: "a bandit"
        case .rollout: "a rollout"
        case .delivery: "a delivery"
        case .experimentWithoutFlag: "an experiment without a flag"
        case .namedMetric, .metric: "a metric"
        case .plan: "a plan"
        case .group: "a group"
        case .holdout: "a holdout"
        case .configuration: "a configuration"
        case .configuredExperiment: "an experiment of a configuration"
        }
    }

    /// Its keys, in the order in which they are written.
    package var keys: [String] {
        switch self {
        case .project:
            [
                "project", "account", "settings", "segments", "environments", "attributes", "events", "metrics",
                "audiences", "flags", "experiments", "groups", "holdouts", "configurations", "ignore", "datafile",
            ]
        case .settings: ["region", "anonymize_ip", "filter_bots", "send_flag_decisions"]
        case .segments: ["host", "public_key", "define"]
        case .segment: ["members", "rule"]
        case .segmentRule: ["event", "days", "times", "revenue"]
        case .environment: ["sdk_key", "sdk_keys", "was"]
        case .attribute, .event: ["was", "ignore", "datafile"]
        case .audience: ["condition", "description", "was", "ignore", "datafile"]
        case .flag:
            [
                "description", "variables", "variations", "rules", "else", "enabled", "rollout", "in", "was", "ignore",
                "datafile",
            ]
        case .flagInEnvironment: ["rules", "else", "enabled", "rollout"]
        case .deliveries: ["datafile"]
        case .everyoneElse: ["serve", "datafile"]
        case .variable: ["type", "default", "description", "was", "datafile"]
        case .variation: ["enabled", "variables", "was", "datafile"]
        case .experiment: ["experiment", "type"] + Self.keysOfSplits
        case .bandit: ["bandit", "attributes"] + Self.keysOfExperiments
        case .rollout: ["rollout"] + Self.keysOfExperiments
        case .experimentWithoutFlag: ["type", "attributes"] + Self.keysOfSplits
        case .delivery:
            ["delivery", "serve", "audience", "traffic", "enabled", "variations", "was", "ignore", "datafile"]
        case .namedMetric: ["event", "count", "direction", "window", "winsorise", "was", "ignore"]
        case .metric: ["metric", "direction"]
        case .plan: ["visitors", "per_day"]
        case .group: ["traffic", "exclusive", "was", "ignore", "datafile"]
        case .holdout:
            [
                "traffic", "audience", "status", "rules", "environments", "variations", "split", "was", "ignore",
                "datafile",
            ]
        case .configuration: ["experiments", "versions"]
        case .configuredExperiment: ["sticky", "countries", "languages", "variants"]
        }
    }

    private static let keysOfExperiments = [
        "audience", "traffic", "split", "metrics", "allow_list", "status", "variations", "was", "ignore", "datafile",
    ]

    private static let keysOfSplits = keysOfExperiments.prefix(4) + ["plan"] + keysOfExperiments.dropFirst(4)

    /// The kinds of rules, each of which is named by its first key.
    package static let rules: [ProjectPart] = [.experiment, .bandit, .rollout, .delivery]
}

/// The words that a project file has for values of the engine.
extension AuthoredExperiment.Kind {
    /// The kinds that a rule with the key `experiment` can have, as values of `type`.
    static let splits: [(name: String, value: AuthoredExperiment.Kind)] = [
        ("ab", .split(type: .abTest)), ("mab", .split(type: .multiArmedBandit)),
        ("cmab", .split(type: .contextualBandit)), ("td", .split(type: .targetedDelivery)),
        ("fr", .split(type: .featureRollout)), ("none", .split(type: .unspecified)),
    ]

    /// All kinds, as values of `type` in an experiment without a flag.
    static let all = splits + [("bandit", .bandit(attributes: [])), ("rollout", .rollout)]

    /// The word for the kind.
    var spelling: String {
        switch self {
        case .split: Self.splits.first { $0.value == self }?.name ?? "none"
        case .bandit: "bandit"
        case .rollout: "rollout"
        }
    }
}

extension Rule.Status {
    /// The states of an experiment.
    static let wordsOfExperiments = words([.running, .paused, .notStarted, .launched, .archived])
    /// The states of a holdout.
    static let wordsOfHoldouts = words([.running, .draft, .concluded, .archived])

    private static func words(_ statuses: [Rule.Status]) -> [(name: String, value: Rule.Status)] {
        statuses.map { ($0.spelling, $0) }
    }

    /// The word for the status.
    package var spelling: String {
        switch self {
        case .running: "running"
        case .launched: "launched"
        case .paused: "paused"
        case .notStarted: "not_started"
        case .archived: "archived"
        case .draft: "draft"
        case .concluded: "concluded"
        }
    }
}

/// The keys that have a meaning of their own in a condition. Attributes with such names are written
/// `{attribute: all, …}`.
package enum ConditionWord: String, CaseIterable {
    case all, any, not, segment, audience, attribute, condition, datafile

    package static let names = allCases.map(\.rawValue)
}

extension AttributeTest.Match {
    /// The name in project files.
    package var spelling: String {
        switch self {
        case .exact: "is"
        case .substring: "contains"
        default: rawValue
        }
    }

    /// The names in project files.
    package static let spellings = allCases.map(\.spelling)

    /// The kind of the datafile's value.
    enum Operand {
        case none, scalar, text, number
    }

    /// The kind of the datafile's value.
    var operand: Operand {
        switch self {
        case .exact: .scalar
        case .exists: .none
        case .greater, .greaterOrEqual, .less, .lessOrEqual: .number
        case .substring, .versionEqual, .versionGreater, .versionGreaterOrEqual, .versionLess, .versionLessOrEqual:
            .text
        }
    }
}
