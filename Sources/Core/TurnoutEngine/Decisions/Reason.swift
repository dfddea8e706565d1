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

// The messages are those of the vendor's client verbatim, including missing periods and parentheses: callers compare
// them, and the drop-in interfaces guarantee them.

extension Reason: CustomStringConvertible {
    /// The reason in the vendor's wording.
    public var description: String {
        errorText ?? experimentText ?? bucketText ?? rolloutText ?? holdoutText ?? ""
    }

    private var errorText: String? {
        switch self {
        case .notReady: "Optimizely SDK not configured properly yet."
        case .flagNotFound(let flag): "No flag was found for key \"\(flag)\"."
        case .predictionFailed(let experiment): "Failed to fetch CMAB data for experiment \(experiment)."
        case .invalidVariable(let variable): "Variable value for key \"\(variable)\" is invalid or wrong type."
        case .invalidVariables: "Invalid variables for OptimizelyJSON."
        // The only message of our own: the vendor's clients do not report failures of a profile service.
        case .profileUnavailable: "User profile unavailable."
        case .audienceUnknown(let audience): audience.text
        default: nil
        }
    }

    private var experimentText: String? {
        switch self {
        case .forcedDecision(let variation, let flag, let rule?, let user):
            "Variation (\(variation)) is mapped to flag (\(flag)), rule (\(rule)) and user (\(user)) "
                + "in the forced decision map."
        case .forcedDecision(let variation, let flag, nil, let user):
            "Variation (\(variation)) is mapped to flag (\(flag)) and user (\(user)) in the forced decision map."
        case .invalidForcedDecision(let flag, let rule?, let user):
            "Invalid variation is mapped to flag (\(flag)), rule (\(rule)) and user (\(user)) "
                + "in the forced decision map."
        case .invalidForcedDecision(let flag, nil, let user):
            "Invalid variation is mapped to flag (\(flag)) and user (\(user)) in the forced decision map."
        case .experimentNotRunning(let experiment): "Experiment (\(experiment)) is not running."
        case .forcedVariation(let variation, let experiment, let user):
            "Variation (\(variation)) is mapped to experiment (\(experiment)) and user \(user)) "
                + "in the forced variation map."
        case .invalidForcedVariation(let experiment, let user):
            "Invalid variation is mapped to experiment (\(experiment)) and user (\(user)) "
                + "in the forced variation map."
        case .whitelisted(let variation, let user): "Forced variation (\(variation)) is found for user (\(user))"
        case .invalidWhitelist(let variation, let user):
            "Forced variation (\(variation)) is found for user (\(user)), but it's not in datafile."
        case .storedAssignment(let variation, let experiment, let user):
            "Returning previously activated variation (\(variation)) of experiment (\(experiment)) "
                + "for user (\(user)) from user profile."
        case .notInExperimentAudience(let experiment, let user):
            "User (\(user)) does not meet conditions to be in experiment (\(experiment))."
        case .inExperiment(let variation, let experiment, let user):
            "User (\(user)) is in variation (\(variation)) of experiment (\(experiment))"
        case .inNoVariation(let user): "User (\(user)) is in no variation."
        default: nil
        }
    }

    private var bucketText: String? {
        switch self {
        case .groupBucket(let bucket, let bucketingID):
            "Assigned bucket (\(bucket)) to user with bucketing ID (\(bucketingID))."
        case .groupWithoutTraffic(let group): "No traffic allocation rules are defined for group (\(group))."
        case .unknownExperiment(let id): "Bucketed into an invalid experiment id (\(id))"
        case .inNoGroupExperiment(let group, let bucketingID):
            "User (\(bucketingID)) is not in any experiment of group (\(group))."
        case .inGroupExperiment(let experiment, let group, let bucketingID):
            "User (\(bucketingID)) is in experiment (\(experiment)) of group (\(group))."
        case .inOtherGroupExperiment(let experiment, let group, let bucketingID):
            "User (\(bucketingID)) is not in experiment (\(experiment)) of group (\(group))."
        case .ruleWithoutTraffic(let rule): "No traffic allocation rules are defined for experiment (\(rule))."
        case .unknownVariation(let id): "Bucketed into an invalid variation id (\(id))"
        case .predictionUnavailable: "CMAB is not supported in sync mode."
        case .notInPredictionTraffic(let experiment, let user):
            "User (\(user)) does not fall into cmab traffic allocation in experiment (\(experiment))."
        case .predicted(let variationID, let uuid, let experiment):
            "Successfully fetched CMAB decision, variationId: \(variationID), cmabUUID: \(uuid) "
                + "for experiment \(experiment)."
        default: nil
        }
    }

    private var rolloutText: String? {
        switch self {
        case .noExperiments(let flag): "Feature (\(flag)) is not attached to any experiments."
        case .unknownRollout(let rollout, let flag): "Invalid rollout ID (\(rollout)) attached to feature (\(flag))."
        case .emptyRollout(let rollout): "Rollout of feature (\(rollout)) has no experiments"
        case .noRollout(let flag): "There is no rollout of feature (\(flag))."
        case .inRolloutAudience(let position, let user):
            "User (\(user)) meets conditions for targeting rule (\(position))."
        case .notInRolloutAudience(let position, let user):
            "User (\(user)) does not meet conditions for targeting rule (\(position))."
        case .inRolloutTraffic(let position, let user):
            "User (\(user)) is in the traffic group of targeting rule (\(position))."
        case .notInRolloutTraffic(let position, let user):
            "User (\(user)) is not in the traffic group for targeting rule (\(position)). "
                + "Checking (Everyone Else) rule now."
        default: nil
        }
    }

    private var holdoutText: String? {
        switch self {
        case .holdoutNotRunning(let holdout): "Holdout (\(holdout)) is not running."
        case .inHoldoutAudience(let holdout, let user): "User (\(user)) meets conditions for holdout(\(holdout))."
        case .notInHoldoutAudience(let holdout, let user):
            "User (\(user)) does not meet conditions for holdout (\(holdout))."
        case .heldOut(let variation, let holdout, let user):
            "User (\(user)) is in variation (\(variation)) of holdout (\(holdout))"
        case .notHeldOut(let user): "User (\(user)) is in no holdout variation."
        default: nil
        }
    }
}
