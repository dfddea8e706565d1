import TurnoutClient

// The calls for a single experiment, which came before flags.

extension OptimizelyClient {
    /// Gives a user a variation of an experiment, and sends an impression.
    ///
    /// - Parameters:
    ///   - experimentKey: The key of the experiment.
    ///   - userId: The user's id.
    ///   - attributes: What is known about the user. Default: nothing.
    /// - Returns: The key of the variation.
    /// - Throws: `sdkNotReady`, `experimentKeyInvalid`, or `variationUnknown` if the user gets none.
    public func activate(
        experimentKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> String {
        let user = UserContent(userId, attributes)
        let (made, key) = try decide(experimentKey, for: user)
        if let impression = made.decision.activation {
            let event = parts.core.send(impression, of: user.user, by: made.snapshot)
            parts.announcer.announceActivation(made.decision, event, user)
        }
        return key
    }

    /// The variation of an experiment that a user gets; no impression is sent.
    ///
    /// - Parameters:
    ///   - experimentKey: The key of the experiment.
    ///   - userId: The user's id.
    ///   - attributes: What is known about the user. Default: nothing.
    /// - Returns: The key of the variation.
    /// - Throws: `sdkNotReady`, `experimentKeyInvalid`, or `variationUnknown` if the user gets none.
    public func getVariationKey(
        experimentKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> String {
        try decide(experimentKey, for: UserContent(userId, attributes)).key
    }

    private func decide(
        _ experimentKey: String, for user: UserContent
    ) throws(OptimizelyError) -> (made: OlderDecision, key: String) {
        guard let project = parts.core.project else { throw .sdkNotReady }
        guard let experiment = project.experiment(experimentKey) else { throw .experimentKeyInvalid(experimentKey) }
        let made = parts.core.makeOlder(for: user.user) { project, user, profile in
            project.decideExperiment(experimentKey, for: user, remembering: profile)
        }
        guard let made else { throw .experimentKeyInvalid(experimentKey) }
        // A newer datafile may have come in between; what is told is of the one that decided.
        let decided = made.snapshot.project.experiment(experimentKey) ?? experiment
        let type = made.snapshot.project.isFeatureExperiment(decided) ? "feature-test" : "ab-test"
        let key = made.decision.variationKey
        parts.announcer.announceDecision(type, user) {
            ["experimentKey": experimentKey, "variationKey": key.orNull]
        }
        guard let key else { throw .variationUnknown(user.id, experimentKey) }
        return (made, key)
    }

    // MARK: Forced variations

    /// The variation that ``setForcedVariation(experimentKey:userId:variationKey:)`` set, or nil: none.
    public func getForcedVariation(experimentKey: String, userId: String) -> String? {
        parts.core.forcedVariation(inExperiment: experimentKey, forUser: userId)
    }

    /// Puts a user into a variation of an experiment, in place of what their bucket says. Kept in memory until the
    /// client is started again.
    ///
    /// - Parameters:
    ///   - experimentKey: The key of the experiment.
    ///   - userId: The user's id.
    ///   - variationKey: The key of the variation; nil: no more.
    /// - Returns: False if there is no datafile, no such experiment, or no such variation in it.
    public func setForcedVariation(experimentKey: String, userId: String, variationKey: String?) -> Bool {
        parts.core.forceVariation(variationKey, inExperiment: experimentKey, forUser: userId)
    }
}
