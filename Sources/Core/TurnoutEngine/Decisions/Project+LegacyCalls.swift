// Support for the legacy calls before `decide`: a single experiment, and a flag without forced decisions.

extension Project {
    /// Decides a flag as `isFeatureEnabled` and the variable getters do: without forced decisions.
    ///
    /// Profiles are always used; contextual bandits are skipped.
    public func decideFeature(
        _ flagKey: String, for user: User, profile: UserProfile = UserProfile()
    ) -> Decision {
        guard let flag = flagRow(flagKey) else { return .flagNotFound(flagKey, in: self, []) }
        let inputs = DecisionInputs(profile: profile, considersForcedDecisions: false)
        return DecisionEvaluator(project: self).decide(flag: flag, flagKey, for: user, with: inputs, [])
    }

    /// Decides a single experiment as `activate` and `getVariation` do: without holdouts, rollout or forced decisions.
    ///
    /// - Returns: nil if there is no such experiment. ``Decision/flagKey`` is empty.
    public func decideExperiment(
        _ experimentKey: String, for user: User, profile: UserProfile = UserProfile()
    ) -> Decision? {
        decideExperiment(experimentKey, for: user, profile: profile, predictions: .unavailable)
    }

    /// Like ``decideExperiment(_:for:profile:)``, but a contextual bandit is decided with predictions.
    package func decideExperiment(
        _ experimentKey: String, for user: User, profile: UserProfile, predictions: Predictions
    ) -> Decision? {
        guard let rule = experiment(experimentKey) else { return nil }
        let inputs = DecisionInputs(profile: profile, predictions: predictions, considersForcedDecisions: false)
        var steps = NoSteps()
        let outcome =
            DecisionEvaluator(project: self).experiment(Int32(rule.index), for: user, with: inputs, &steps) ?? .noRule
        var uuid: String?
        if outcome.stage == .predicted, case .received(let predictions) = predictions,
            case .variation(_, let predictionUUID)? = predictions[rule.id]
        {
            uuid = predictionUUID
        }
        return Decision(
            flagKey: "", outcome: outcome, options: [], project: self, flagRow: -1, predictionUUID: uuid,
            lacksProfile: profile.isUnavailable)
    }

    /// Whether a flag refers to the experiment.
    public func isFeatureExperiment(_ experiment: Rule) -> Bool {
        let id = experiment.row.id
        return tables.flags.contains { flag in
            flag.experimentIDs.range.contains { tables.symbolLists[$0] == id }
        }
    }
}
