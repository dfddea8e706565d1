import TurnoutEngine

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
