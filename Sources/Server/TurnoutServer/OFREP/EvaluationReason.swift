import TurnoutEngine

/// Why a flag has its value, in the words of OpenFeature.
enum EvaluationReason: String {
    /// A rule for an audience, or a list of users, applied.
    case targetingMatch = "TARGETING_MATCH"
    /// The user's bucket decided.
    case split = "SPLIT"
    /// The rule for everyone else applied.
    case `default` = "DEFAULT"
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
        // The last rule of a rollout is for everyone else.
        if decision.flag?.rolloutRules.last?.id == rule.id { return .default }
        return rule.hasAudience ? .targetingMatch : .split
    }
}
