/// The stages that can settle a decision, in evaluation order.
public enum DecisionStage: String, Sendable {
    /// The user has a forced decision for the flag.
    case forcedDecision
    /// A holdout keeps the user out.
    case holdout
    /// The user has a forced decision for the rule.
    case forcedRule
    /// The user has a forced variation in the experiment.
    case forcedVariation
    /// The user is on the experiment's whitelist.
    case whitelist
    /// The user's profile has an assignment to the variation.
    case storedAssignment
    /// The user's bucket is in the experiment's traffic.
    case bucketed
    /// A prediction service chose the variation.
    case predicted
    /// A rollout rule of the flag applied.
    case rollout
    /// No rule applied.
    case noRule
    /// A contextual bandit needs a prediction; the decision is pending.
    case needsPrediction
    /// A contextual bandit needed a prediction, but it failed.
    case predictionFailed
    /// The datafile has no such flag.
    case flagNotFound
    /// There is no datafile.
    case notReady
}

/// The result of evaluating a flag's rules. Rows only, -1 for none.
struct DecisionOutcome {
    var stage: DecisionStage
    var rule: Int32 = -1
    var variation: Int32 = -1

    static let noRule = DecisionOutcome(stage: .noRule)
}

/// The inputs of a decision besides the project and the user.
struct DecisionInputs {
    var profile = UserProfile()
    var predictions = Predictions.unavailable
    /// False for the legacy interfaces, which have no forced decisions.
    var considersForcedDecisions = true
}

extension DecisionInputs {
    /// The inputs under these options: `ignoreUserProfileService` replaces the profile by an empty one.
    init(_ profile: UserProfile, _ predictions: Predictions, _ options: DecideOptions) {
        self.init(
            profile: options.contains(.ignoreUserProfileService) ? UserProfile() : profile, predictions: predictions)
    }
}
