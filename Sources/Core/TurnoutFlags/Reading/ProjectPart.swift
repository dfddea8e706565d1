/// The kinds of mappings with fixed keys in a project file.
package enum ProjectPart: Sendable, CaseIterable {
    case project, settings, segments, segment, segmentRule, environment, attribute, event, audience
    case flag, flagInEnvironment, deliveries, everyoneElse, variable, variation
    case experiment, bandit, rollout, delivery, experimentWithoutFlag, metric, group, holdout
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
        case .metric: "a metric"
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
                "project", "account", "settings", "segments", "environments", "attributes", "events", "audiences",
                "flags", "experiments", "groups", "holdouts", "configurations", "ignore", "datafile",
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
        case .experiment: ["experiment", "type"] + Self.keysOfExperiments
        case .bandit: ["bandit", "attributes"] + Self.keysOfExperiments
        case .rollout: ["rollout"] + Self.keysOfExperiments
        case .experimentWithoutFlag: ["type", "attributes"] + Self.keysOfExperiments
        case .delivery:
            ["delivery", "serve", "audience", "traffic", "enabled", "variations", "was", "ignore", "datafile"]
        case .metric: ["metric", "direction"]
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

    /// The kinds of rules, each of which is named by its first key.
    package static let rules: [ProjectPart] = [.experiment, .bandit, .rollout, .delivery]
}
