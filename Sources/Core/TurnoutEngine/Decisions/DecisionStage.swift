/// What settled a decision, in the order in which it is tried.
public enum DecisionStage: String, Sendable {
    /// The user has a forced decision for the flag.
    case forcedDecision
    /// A holdout keeps the user out.
    case holdout
    /// The user has a forced decision for the rule.
    case forcedRule
    /// The user has a forced variation in the experiment.
    case forcedVariation
    /// The experiment's whitelist names the user.
    case whitelist
    /// The user was assigned to the variation before.
    case remembered
    /// The user's bucket lies in the experiment's traffic.
    case bucketed
    /// A prediction service chose the variation.
    case predicted
    /// A delivery rule of the flag's rollout took the user.
    case delivered
    /// No rule took the user.
    case noRule
    /// A contextual bandit needs a prediction; the decision is not made yet.
    case needsPrediction
    /// A contextual bandit needed a prediction, and there was none to be had.
    case predictionFailed
    /// The datafile has no such flag.
    case flagNotFound
    /// There is no datafile.
    case notReady
}

/// What a walk through the rules of a flag came to. Rows only, -1 where there is none.
struct Outcome {
    var stage: DecisionStage
    var rule: Int32 = -1
    var variation: Int32 = -1

    static let noRule = Outcome(stage: .noRule)
}

/// What a decision may look at beside the project and the user.
struct Memory {
    var profile = UserProfile()
    var predictions = Predictions.unavailable
    /// False for the older interfaces, which know no forced decisions.
    var considersForcedDecisions = true
}
