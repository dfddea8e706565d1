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
}
