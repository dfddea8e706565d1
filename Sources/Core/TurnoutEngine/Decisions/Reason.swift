/// A step on the way to a decision, as a value. Its text is made when it is asked for (``description``).
///
/// Reasons about audiences that could not be answered carry their cause; all others carry the keys they speak of.
public enum Reason: Sendable, Equatable {
    // MARK: Errors, reported always
    /// There is no datafile.
    case notReady
    /// The datafile has no such flag.
    case flagNotFound(flag: String)
    /// A contextual bandit needed a prediction, and there was none to be had.
    case predictionFailed(experiment: String)
    /// The text of a variable is not of its type.
    case invalidVariable(variable: String)
    /// One of the variables is NaN or infinite, which JSON cannot hold.
    case invalidVariables
    /// Nobody could tell in time what the user was assigned before: nothing was remembered, and nothing is.
    case profileUnavailable

    // MARK: Forced decisions
    /// The user has a forced decision for the flag, or for a rule of it.
    case forcedDecision(variation: String, flag: String, rule: String?, user: String)
    /// The user has a forced decision for a variation that the flag does not have.
    case invalidForcedDecision(flag: String, rule: String?, user: String)

    // MARK: Experiments
    /// The experiment is not running.
    case experimentNotRunning(experiment: String)
    /// The user has a forced variation in the experiment.
    case forcedVariation(variation: String, experiment: String, user: String)
    /// The user has a forced variation that the experiment does not have.
    case invalidForcedVariation(experiment: String, user: String)
    /// The experiment's whitelist names the user.
    case whitelisted(variation: String, user: String)
    /// The experiment's whitelist gives the user a variation that the experiment does not have.
    case invalidWhitelist(variation: String, user: String)
    /// The user was assigned to the variation before.
    case remembered(variation: String, experiment: String, user: String)
    /// The user does not belong to the experiment's audience.
    case notInExperimentAudience(experiment: String, user: String)
    /// The user gets a variation of the experiment.
    case inExperiment(variation: String, experiment: String, user: String)
    /// The user belongs to the experiment's audience, but gets none of its variations.
    case inNoVariation(user: String)

    // MARK: Audiences
    /// A condition could not be answered, so the audience could not.
    case audienceUnknown(UnknownAudience)

    // MARK: Buckets
    /// The bucket of a user in a mutual-exclusion group.
    case groupBucket(bucket: Int, bucketingID: String)
    /// The group has no traffic.
    case groupWithoutTraffic(group: String)
    /// The group's traffic names an experiment that does not exist.
    case unknownExperiment(id: String)
    /// The user takes part in none of the group's experiments.
    case inNoGroupExperiment(group: String, bucketingID: String)
    /// The user may take part in this experiment of the group.
    case inGroupExperiment(experiment: String, group: String, bucketingID: String)
    /// The user takes part in another experiment of the group.
    case inOtherGroupExperiment(experiment: String, group: String, bucketingID: String)
    /// The experiment, rule or holdout has no traffic.
    case ruleWithoutTraffic(rule: String)
    /// The traffic names a variation that does not exist.
    case unknownVariation(id: String)

    // MARK: Contextual bandits
    /// There was nobody to ask for a prediction.
    case predictionUnavailable
    /// The user is not in the share of traffic that the bandit may have.
    case notInPredictionTraffic(experiment: String, user: String)
    /// The prediction service chose a variation.
    case predicted(variationID: String, uuid: String, experiment: String)

    // MARK: Rollouts
    /// The flag has no experiments.
    case noExperiments(flag: String)
    /// The flag names a rollout that does not exist.
    case unknownRollout(rollout: String, flag: String)
    /// The flag's rollout has no rules.
    case emptyRollout(rollout: String)
    /// The flag has no rollout.
    case noRollout(flag: String)
    /// The user belongs to the audience of a delivery rule; `position` is its number or "Everyone Else".
    case inDeliveryAudience(position: String, user: String)
    /// The user does not belong to the audience of a delivery rule.
    case notInDeliveryAudience(position: String, user: String)
    /// A delivery rule takes the user.
    case inDeliveryTraffic(position: String, user: String)
    /// The user belongs to a delivery rule's audience but not to its traffic.
    case notInDeliveryTraffic(position: String, user: String)

    // MARK: Holdouts
    /// The holdout is not running.
    case holdoutNotRunning(holdout: String)
    /// The user belongs to the holdout's audience.
    case inHoldoutAudience(holdout: String, user: String)
    /// The user does not belong to the holdout's audience.
    case notInHoldoutAudience(holdout: String, user: String)
    /// The holdout keeps the user out.
    case heldOut(variation: String, holdout: String, user: String)
    /// The user belongs to the holdout's audience but not to its traffic.
    case notHeldOut(user: String)
}

/// An audience that could not be answered for a user.
public struct UnknownAudience: Sendable, Equatable {
    let project: Project
    let row: Int
    let user: User

    /// Why there is no answer.
    public var cause: UnknownCause { project.unknownCause(at: row, for: user) }
    /// The vendor's text, which quotes the condition.
    public var text: String { project.unknownText(at: row, for: user) }

    /// Whether both say the same.
    public static func == (left: UnknownAudience, right: UnknownAudience) -> Bool { left.text == right.text }
}
