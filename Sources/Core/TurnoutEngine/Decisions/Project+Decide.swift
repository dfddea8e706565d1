extension Project {
    /// Decides one flag for a user.
    ///
    /// Does not throw or block: if a flag cannot be decided, the decision's ``Decision/stage`` and reasons report it.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - user: The user to decide for.
    ///   - profile: The user's earlier assignments. Default: none.
    ///   - predictions: Results of a prediction service. Default: no service, contextual bandits are skipped.
    ///   - options: Options of the decision. `enabledFlagsOnly` has no effect here.
    /// - Returns: The decision; for an unknown flag one without a variation, with the reason.
    /// - Complexity: One hash per rule tried, and the conditions of its audience. Does not allocate, unless reasons are
    ///   included.
    public func decide(
        _ flagKey: String, for user: User, profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> Decision {
        guard let flag = flagRow(flagKey) else { return .flagNotFound(flagKey, in: self, options) }
        let inputs = DecisionInputs(profile, predictions, options)
        return DecisionEvaluator(project: self).decide(flag: flag, flagKey, for: user, with: inputs, options)
    }

    /// Decides the flag at a row, for callers that looked it up before they had the profile.
    package func decide(
        flag: Int, _ flagKey: String, for user: User, profile: UserProfile, options: DecideOptions
    ) -> Decision {
        let inputs = DecisionInputs(profile, .unavailable, options)
        return DecisionEvaluator(project: self).decide(flag: flag, flagKey, for: user, with: inputs, options)
    }

    /// Decides several flags for a user.
    ///
    /// The flags share one profile: an assignment for one flag applies to the flags that follow.
    ///
    /// - Parameters:
    ///   - flagKeys: The keys of the flags, decided in this order. A repeated key is decided again.
    ///   - user: The user to decide for.
    ///   - profile: The user's earlier assignments. Default: none.
    ///   - predictions: Results of a prediction service. Default: no service, contextual bandits are skipped.
    ///   - options: Options of the decisions.
    /// - Returns: The decisions in the order of the keys.
    public func decide(
        _ flagKeys: [String], for user: User, profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> DecisionBatch {
        var batch = DecisionBatch(options: options, capacity: flagKeys.count)
        var inputs = DecisionInputs(profile, predictions, options)
        let evaluator = DecisionEvaluator(project: self)
        for key in flagKeys {
            guard let flag = flagRow(key) else {
                batch.append(.flagNotFound(key, in: self, options))
                continue
            }
            batch.append(evaluator.decide(flag: flag, key, for: user, with: inputs, options), &inputs)
        }
        batch.mergeRepeatedFlags(of: user)
        return batch
    }

    /// Decides all flags for a user, in the datafile's order.
    ///
    /// See ``decide(_:for:profile:predictions:options:)-([String],_,_,_,_)``.
    public func decideAll(
        for user: User, profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> DecisionBatch {
        var batch = DecisionBatch(options: options, capacity: tables.flags.count)
        var inputs = DecisionInputs(profile, predictions, options)
        let evaluator = DecisionEvaluator(project: self)
        let isDuplicated = tables.flags.count != tables.flagsByKey.count
        for row in tables.flags.indices {
            let key = tables.flags[row].key
            let flag = isDuplicated ? tables.flagsByKey[key] ?? row : row
            let decision = evaluator.decide(flag: flag, text(key), for: user, with: inputs, options)
            // An assignment affects the flags that follow only if they share an experiment.
            if tables.flagsShareExperiments || isDuplicated {
                batch.append(decision, &inputs)
            } else {
                batch.append(decision)
            }
        }
        if isDuplicated { batch.mergeRepeatedFlags(of: user) }
        return batch
    }

    /// Decides one flag for a user, and returns how the decision was made.
    ///
    /// The decision is the one that ``decide(_:for:profile:predictions:options:)-(String,_,_,_,_)`` makes.
    public func explain(
        _ flagKey: String, for user: User, profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> DecisionTrace {
        let decision = decide(
            flagKey, for: user, profile: profile, predictions: predictions, options: options.union(.includeReasons))
        return DecisionTrace(decision: decision, user: user, stages: DecisionTrace.stages(of: decision))
    }

    // Support for the legacy calls before `decide`: a single experiment, and a flag without forced decisions.
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
        return Decision(
            flagKey: "", outcome: outcome, options: [], project: self, flagRow: -1,
            predictionUUID: inputs.predictionUUID(of: outcome, in: self), lacksProfile: profile.isUnavailable)
    }

    /// Whether a flag refers to the experiment.
    public func isFeatureExperiment(_ experiment: Rule) -> Bool {
        let id = experiment.row.id
        return tables.flags.contains { flag in
            flag.experimentIDs.range.contains { tables.symbolLists[$0] == id }
        }
    }

    // Outcomes of many decisions, for callers that count or compare them and look at few.
    /// Decides several flags for a user, and returns only the outcomes.
    ///
    /// The outcomes are those of ``decide(_:for:profile:predictions:options:)-([String],_,_,_,_)`` without a prediction
    /// service: an assignment for one flag applies to the flags that follow. No ``Decision`` is made, so comparing the
    /// outcomes of millions of users allocates nothing and counts no references to the project.
    ///
    /// - Parameters:
    ///   - flags: The rows of different flags, decided in this order; nil for a flag that the project lacks.
    ///   - user: The user to decide for.
    ///   - profile: The user's earlier assignments.
    ///   - outcomes: Receives one outcome for each flag. Earlier contents are replaced.
    package func decideOutcomes(
        ofFlags flags: [Int?], for user: User, profile: UserProfile, into outcomes: inout [Decision.OutcomeID]
    ) {
        outcomes.removeAll(keepingCapacity: true)
        var inputs = DecisionInputs(profile, .unavailable, [])
        let evaluator = DecisionEvaluator(project: self)
        var steps = NoSteps()
        for flag in flags {
            guard let flag else {
                outcomes.append(.init(stage: .flagNotFound, flag: -1, rule: -1, variation: -1))
                continue
            }
            let outcome = evaluator.evaluate(flag: flag, for: user, with: inputs, &steps)
            outcomes.append(
                .init(stage: outcome.stage, flag: Int32(flag), rule: outcome.rule, variation: outcome.variation))
            guard tables.flagsShareExperiments, outcome.stage == .bucketed else { continue }
            let id = text(tables.rules[Int(outcome.rule)].id)
            inputs.profile.assignments[id] = text(tables.variations[Int(outcome.variation)].id)
        }
    }

    /// The decision with an outcome, without reasons.
    package func decision(_ outcome: Decision.OutcomeID, flagKey: String) -> Decision {
        Decision(
            flagKey: flagKey,
            outcome: DecisionOutcome(stage: outcome.stage, rule: outcome.rule, variation: outcome.variation),
            options: [], project: self, flagRow: outcome.flag)
    }
}
