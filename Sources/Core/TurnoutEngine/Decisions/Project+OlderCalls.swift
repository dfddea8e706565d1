// What the calls that came before `decide` need: a single experiment, and a flag without forced decisions.

extension Project {
    /// Decides a flag as `isFeatureEnabled` and the variable getters do: without forced decisions.
    ///
    /// Profiles are always used, contextual bandits are passed over.
    public func decideFeature(
        _ flagKey: String, for user: User, remembering profile: UserProfile = UserProfile()
    ) -> Decision {
        guard let flag = flagRow(flagKey) else { return flagNotFound(flagKey, []) }
        let memory = Memory(profile: profile, considersForcedDecisions: false)
        return decide(flag: flag, flagKey, for: user, with: memory, [])
    }

    /// Decides a single experiment as `activate` and `getVariation` do: no holdouts, no rollout, no forced decisions.
    ///
    /// - Returns: nil if there is no such experiment. ``Decision/flagKey`` is empty.
    public func decideExperiment(
        _ experimentKey: String, for user: User, remembering profile: UserProfile = UserProfile()
    ) -> Decision? {
        guard let rule = experiment(experimentKey) else { return nil }
        let memory = Memory(profile: profile, considersForcedDecisions: false)
        var steps = NoSteps()
        let outcome = experiment(Int32(rule.index), for: user, with: memory, &steps) ?? .noRule
        return Decision(
            flagKey: "", outcome: outcome, options: [], project: self, flagRow: -1,
            lacksProfile: profile.isUnavailable)
    }

    /// Whether some flag names the experiment.
    public func isFeatureExperiment(_ experiment: Rule) -> Bool {
        let id = tables.symbols.name(of: experiment.row.id)
        return tables.flags.contains { flag in
            flag.experimentIDs.range.contains { tables.symbols.name(of: tables.symbolLists[$0]) == id }
        }
    }
}

extension Decision {
    /// The impression that `activate` sends, which names the rule but no flag; nil without a variation.
    public var activation: Impression? {
        guard variationRow >= 0 else { return nil }
        return impression(flagKey: "", ruleType: "experiment", isEnabled: true)
    }
}
