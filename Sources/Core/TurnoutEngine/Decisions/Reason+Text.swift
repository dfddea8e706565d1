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
