extension Project {
    /// Decides one flag for a user.
    ///
    /// Never throws and never waits: what cannot be decided says so in its ``Decision/stage`` and reasons.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - user: Whom to decide for.
    ///   - profile: What the user was assigned before. Default: nothing.
    ///   - predictions: Answers of a prediction service. Default: there is none, contextual bandits are passed over.
    ///   - options: What to leave out and what to add. `enabledFlagsOnly` means nothing here.
    /// - Returns: The decision; for an unknown flag one without variation, whose reason says so.
    /// - Complexity: One hash per rule tried and the conditions of its audience. Allocates nothing, unless reasons are
    ///   included.
    public func decide(
        _ flagKey: String, for user: User, remembering profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> Decision {
        guard let flag = flagRow(flagKey) else { return flagNotFound(flagKey, options) }
        let memory = memory(profile, predictions, options)
        return decide(flag: flag, flagKey, for: user, with: memory, options)
    }

    /// Decides the flag of a number for a user, for those who had to find it before they knew the profile.
    package func decide(
        flag: Int, _ flagKey: String, for user: User, remembering profile: UserProfile, options: DecideOptions
    ) -> Decision {
        decide(flag: flag, flagKey, for: user, with: memory(profile, .unavailable, options), options)
    }

    /// Decides several flags for a user.
    ///
    /// The flags share one profile: what is assigned for the first is remembered when the next is decided.
    ///
    /// - Parameters:
    ///   - flagKeys: The keys of the flags, decided in this order. A key that is named twice is decided twice.
    ///   - user: Whom to decide for.
    ///   - profile: What the user was assigned before. Default: nothing.
    ///   - predictions: Answers of a prediction service. Default: there is none, contextual bandits are passed over.
    ///   - options: What to leave out and what to add.
    /// - Returns: The decisions in the order of the keys.
    public func decide(
        _ flagKeys: [String], for user: User, remembering profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> DecisionBatch {
        var batch = DecisionBatch(options: options, capacity: flagKeys.count)
        var memory = memory(profile, predictions, options)
        for key in flagKeys {
            guard let flag = flagRow(key) else {
                batch.append(flagNotFound(key, options))
                continue
            }
            batch.append(decide(flag: flag, key, for: user, with: memory, options), &memory)
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
        var memory = memory(profile, predictions, options)
        let isDuplicated = tables.flags.count != tables.flagsByKey.count
        for row in tables.flags.indices {
            let key = tables.flags[row].key
            let flag = isDuplicated ? tables.flagsByKey[tables.symbols.name(of: key)] ?? row : row
            let decision = decide(flag: flag, text(key), for: user, with: memory, options)
            // What one flag is assigned matters to the next only if they have an experiment in common.
            if tables.flagsShareExperiments || isDuplicated {
                batch.append(decision, &memory)
            } else {
                batch.append(decision)
            }
        }
        if isDuplicated { batch.mergeRepeatedFlags() }
        return batch
    }

    // MARK: Pieces

    func memory(
        _ profile: UserProfile, _ predictions: Predictions, _ options: DecideOptions
    ) -> Memory {
        Memory(
            profile: options.contains(.ignoreUserProfileService) ? UserProfile() : profile, predictions: predictions)
    }

    func flagNotFound(_ key: String, _ options: DecideOptions) -> Decision {
        Decision(
            flagKey: key, outcome: Outcome(stage: .flagNotFound), options: options, project: self, flagRow: -1)
    }

    @inline(__always)
    func decide(
        flag: Int, _ key: String, for user: User, with memory: borrowing Memory, _ options: DecideOptions
    ) -> Decision {
        guard options.contains(.includeReasons) else {
            var steps = NoSteps()
            let outcome = walk(flag: flag, for: user, with: memory, &steps)
            return decision(flag: flag, key, user, outcome, memory, options, record: nil)
        }
        var steps = StepList()
        let outcome = walk(flag: flag, for: user, with: memory, &steps)
        let record = DecisionRecord(user: user, steps: steps.steps)
        return decision(flag: flag, key, user, outcome, memory, options, record: record)
    }

    @inline(__always)
    func decision(
        flag: Int, _ key: String, _ user: User, _ outcome: Outcome, _ memory: borrowing Memory,
        _ options: DecideOptions, record: DecisionRecord?
    ) -> Decision {
        var uuid: String?
        if outcome.stage == .predicted, case .answers(let answers) = memory.predictions,
            case .variation(_, let answer)? = answers[text(tables.rules[Int(outcome.rule)].id)]
        {
            uuid = answer
        }
        return Decision(
            flagKey: key, outcome: outcome, options: options, project: holder(for: user), flagRow: Int32(flag),
            predictionUUID: uuid, record: record, lacksProfile: memory.profile.isUnavailable)
    }
}
