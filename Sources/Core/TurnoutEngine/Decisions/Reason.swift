/// A step of a decision, as a value. Its message is created on demand (``description``).
///
/// Reasons about unknown audiences carry their cause; all others carry the keys involved.
public enum Reason: Sendable, Equatable {
    // MARK: Errors, reported always
    /// There is no datafile.
    case notReady
    /// The datafile has no such flag.
    case flagNotFound(flag: String)
    /// A contextual bandit needed a prediction, but it failed.
    case predictionFailed(experiment: String)
    /// The value of a variable is not of its type.
    case invalidVariable(variable: String)
    /// One of the variables is NaN or infinite, which JSON cannot represent.
    case invalidVariables
    /// The profile service did not respond in time: earlier assignments are ignored, and the new one is not stored.
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
    /// The user is on the experiment's whitelist.
    case whitelisted(variation: String, user: String)
    /// The experiment's whitelist gives the user a variation that the experiment does not have.
    case invalidWhitelist(variation: String, user: String)
    /// The user's profile has an assignment to the variation.
    case storedAssignment(variation: String, experiment: String, user: String)
    /// The user is not in the experiment's audience.
    case notInExperimentAudience(experiment: String, user: String)
    /// The user gets a variation of the experiment.
    case inExperiment(variation: String, experiment: String, user: String)
    /// The user is in the experiment's audience, but gets none of its variations.
    case inNoVariation(user: String)

    // MARK: Audiences
    /// A condition, and so the audience, could not be evaluated.
    case audienceUnknown(UnknownAudience)

    // MARK: Buckets
    /// The bucket of a user in a mutual-exclusion group.
    case groupBucket(bucket: Int, bucketingID: String)
    /// The group has no traffic.
    case groupWithoutTraffic(group: String)
    /// The group's traffic refers to an experiment that does not exist.
    case unknownExperiment(id: String)
    /// The user takes part in none of the group's experiments.
    case inNoGroupExperiment(group: String, bucketingID: String)
    /// The user may take part in this experiment of the group.
    case inGroupExperiment(experiment: String, group: String, bucketingID: String)
    /// The user takes part in another experiment of the group.
    case inOtherGroupExperiment(experiment: String, group: String, bucketingID: String)
    /// The experiment, rule or holdout has no traffic.
    case ruleWithoutTraffic(rule: String)
    /// The traffic refers to a variation that does not exist.
    case unknownVariation(id: String)

    // MARK: Contextual bandits
    /// There was no prediction service.
    case predictionUnavailable
    /// The user is not in the share of traffic for the contextual bandit.
    case notInPredictionTraffic(experiment: String, user: String)
    /// The prediction service chose a variation.
    case predicted(variationID: String, uuid: String, experiment: String)

    // MARK: Rollouts
    /// The flag has no experiments.
    case noExperiments(flag: String)
    /// The flag refers to a rollout that does not exist.
    case unknownRollout(rollout: String, flag: String)
    /// The flag's rollout has no rules.
    case emptyRollout(rollout: String)
    /// The flag has no rollout.
    case noRollout(flag: String)
    /// The user is in the audience of a rollout rule; `position` is its number or "Everyone Else".
    case inRolloutAudience(position: String, user: String)
    /// The user is not in the audience of a rollout rule.
    case notInRolloutAudience(position: String, user: String)
    /// The user gets a rollout rule's variation.
    case inRolloutTraffic(position: String, user: String)
    /// The user is in a rollout rule's audience but not in its traffic.
    case notInRolloutTraffic(position: String, user: String)

    // MARK: Holdouts
    /// The holdout is not running.
    case holdoutNotRunning(holdout: String)
    /// The user is in the holdout's audience.
    case inHoldoutAudience(holdout: String, user: String)
    /// The user is not in the holdout's audience.
    case notInHoldoutAudience(holdout: String, user: String)
    /// The holdout keeps the user out.
    case heldOut(variation: String, holdout: String, user: String)
    /// The user is in the holdout's audience but not in its traffic.
    case notHeldOut(user: String)
}

/// An audience that could not be evaluated for a user.
public struct UnknownAudience: Sendable, Equatable {
    let project: Project
    let row: Int
    let user: User

    /// Why it could not be evaluated.
    public var cause: UnknownCause { AudienceExplainer(project: project, user: user).cause(at: row) }
    /// The vendor's message, which quotes the condition.
    public var text: String { AudienceExplainer(project: project, user: user).text(at: row) }

    /// Whether both have the same message.
    public static func == (left: UnknownAudience, right: UnknownAudience) -> Bool { left.text == right.text }
}
