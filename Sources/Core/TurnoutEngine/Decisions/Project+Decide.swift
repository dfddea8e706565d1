extension Project {
    /// Decides one flag for a user.
    ///
    /// Does not throw or block: if a flag cannot be decided, the decision's ``Decision/stage`` and reasons report it.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - user: The user to decide for.
    ///   - profile: The user's earlier assignments. Default: none.
    ///   - predictions: Answers of a prediction service. Default: no service, contextual bandits are skipped.
    ///   - options: Options of the decision. `enabledFlagsOnly` has no effect here.
    /// - Returns: The decision; for an unknown flag one without a variation, with the reason.
    /// - Complexity: One hash per rule tried, and the conditions of its audience. Does not allocate, unless reasons are
    ///   included.
    public func decide(
        _ flagKey: String, for user: User, remembering profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> Decision {
        guard let flag = flagRow(flagKey) else { return flagNotFound(flagKey, options) }
        let inputs = inputs(profile, predictions, options)
        return decide(flag: flag, flagKey, for: user, with: inputs, options)
    }

    /// Decides the flag at a row, for callers that looked it up before they had the profile.
    package func decide(
        flag: Int, _ flagKey: String, for user: User, remembering profile: UserProfile, options: DecideOptions
    ) -> Decision {
        decide(flag: flag, flagKey, for: user, with: inputs(profile, .unavailable, options), options)
    }

    /// Decides several flags for a user.
    ///
    /// The flags share one profile: an assignment for one flag applies to the flags that follow.
    ///
    /// - Parameters:
    ///   - flagKeys: The keys of the flags, decided in this order. A repeated key is decided again.
    ///   - user: The user to decide for.
    ///   - profile: The user's earlier assignments. Default: none.
    ///   - predictions: Answers of a prediction service. Default: no service, contextual bandits are skipped.
    ///   - options: Options of the decisions.
    /// - Returns: The decisions in the order of the keys.
    public func decide(
        _ flagKeys: [String], for user: User, remembering profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> DecisionBatch {
        var batch = DecisionBatch(options: options, capacity: flagKeys.count)
        var inputs = inputs(profile, predictions, options)
        for key in flagKeys {
            guard let flag = flagRow(key) else {
                batch.append(flagNotFound(key, options))
                continue
            }
            batch.append(decide(flag: flag, key, for: user, with: inputs, options), &inputs)
        }
        batch.mergeRepeatedFlags()
        return batch
    }

    /// Decides all flags for a user, in the datafile's order.
    ///
    /// See ``decide(_:for:remembering:predictions:options:)-([String],_,_,_,_)``.
    public func decideAll(
        for user: User, remembering profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> DecisionBatch {
        var batch = DecisionBatch(options: options, capacity: tables.flags.count)
        var inputs = inputs(profile, predictions, options)
        let isDuplicated = tables.flags.count != tables.flagsByKey.count
        for row in tables.flags.indices {
            let key = tables.flags[row].key
            let flag = isDuplicated ? tables.flagsByKey[tables.symbols.name(of: key)] ?? row : row
            let decision = decide(flag: flag, text(key), for: user, with: inputs, options)
            // An assignment affects the flags that follow only if they share an experiment.
            if tables.flagsShareExperiments || isDuplicated {
                batch.append(decision, &inputs)
            } else {
                batch.append(decision)
            }
        }
        if isDuplicated { batch.mergeRepeatedFlags() }
        return batch
    }

    // MARK: Pieces

    func inputs(
        _ profile: UserProfile, _ predictions: Predictions, _ options: DecideOptions
    ) -> DecisionInputs {
        DecisionInputs(
            profile: options.contains(.ignoreUserProfileService) ? UserProfile() : profile, predictions: predictions)
    }

    func flagNotFound(_ key: String, _ options: DecideOptions) -> Decision {
        Decision(
            flagKey: key, outcome: Outcome(stage: .flagNotFound), options: options, project: self, flagRow: -1)
    }

    @inline(__always)
    func decide(
        flag: Int, _ key: String, for user: User, with inputs: borrowing DecisionInputs, _ options: DecideOptions
    ) -> Decision {
        guard options.contains(.includeReasons) else {
            var steps = NoSteps()
            let outcome = DecisionEvaluator(project: self).evaluate(flag: flag, for: user, with: inputs, &steps)
            return decision(flag: flag, key, user, outcome, inputs, options, record: nil)
        }
        var steps = StepList()
        let outcome = DecisionEvaluator(project: self).evaluate(flag: flag, for: user, with: inputs, &steps)
        let record = DecisionRecord(user: user, steps: steps.steps)
        return decision(flag: flag, key, user, outcome, inputs, options, record: record)
    }

    @inline(__always)
    func decision(
        flag: Int, _ key: String, _ user: User, _ outcome: Outcome, _ inputs: borrowing DecisionInputs,
        _ options: DecideOptions, record: DecisionRecord?
    ) -> Decision {
        var uuid: String?
        if outcome.stage == .predicted, case .answers(let answers) = inputs.predictions,
            case .variation(_, let answer)? = answers[text(tables.rules[Int(outcome.rule)].id)]
        {
            uuid = answer
        }
        return Decision(
            flagKey: key, outcome: outcome, options: options, project: replica(for: user), flagRow: Int32(flag),
            predictionUUID: uuid, record: record, lacksProfile: inputs.profile.isUnavailable)
    }
}
