import TurnoutEngine

/// Why a flag has its value: those of OpenFeature's reasons that the protocol's schema lists.
enum EvaluationReason: String {
    /// A rule for an audience, a list of users, or the rule for everyone else after others applied.
    case targetingMatch = "TARGETING_MATCH"
    case split = "SPLIT"
    case `static` = "STATIC"
    /// The flag is off: no rule applied, or a holdout keeps the user out.
    case disabled = "DISABLED"

    init(_ decision: Decision) {
        switch decision.stage {
        case .bucketed, .storedAssignment, .predicted: self = .split
        case .forcedDecision, .forcedRule, .forcedVariation, .whitelist: self = .targetingMatch
        case .holdout: self = decision.isEnabled ? .split : .disabled
        case .rollout: self = Self.ofRollout(decision)
        case .noRule, .needsPrediction, .predictionFailed, .flagNotFound, .notReady: self = .disabled
        }
    }

    private static func ofRollout(_ decision: Decision) -> EvaluationReason {
        guard let rule = decision.rule else { return .disabled }
        if rule.hasAudience { return .targetingMatch }
        // The last rule of a rollout is for everyone else.
        guard let flag = decision.flag, flag.rolloutRules.last?.id == rule.id,
            rule.traffic.first?.buckets.count == Bucketing.bucketCount
        else { return .split }
        return flag.rolloutRules.count == 1 && flag.experiments.isEmpty ? .static : .targetingMatch
    }
}
