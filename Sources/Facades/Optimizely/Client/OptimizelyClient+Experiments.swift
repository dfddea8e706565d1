import TurnoutClient

// The calls for a single experiment, which predate flags.

extension OptimizelyClient {
    /// Activates an experiment for a user: decides the variation and sends an impression.
    ///
    /// - Parameters:
    ///   - experimentKey: The key of the experiment.
    ///   - userId: The user's id.
    ///   - attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: The key of the variation.
    /// - Throws: `sdkNotReady`, `experimentKeyInvalid`, or `variationUnknown` if the user gets no variation.
    public func activate(
        experimentKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> String {
        let user = UserContent(userId, attributes)
        let (result, key) = try decide(experimentKey, for: user)
        if let impression = result.decision.activation {
            let event = parts.runtime.send(impression, of: user.user, with: result.snapshot)
            parts.notifications.sendActivation(result.decision, event, user)
        }
        return key
    }

    /// Returns the variation that a user gets in an experiment, without sending an impression.
    ///
    /// - Parameters:
    ///   - experimentKey: The key of the experiment.
    ///   - userId: The user's id.
    ///   - attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: The key of the variation.
    /// - Throws: `sdkNotReady`, `experimentKeyInvalid`, or `variationUnknown` if the user gets no variation.
    public func getVariationKey(
        experimentKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> String {
        try decide(experimentKey, for: UserContent(userId, attributes)).key
    }

    private func decide(
        _ experimentKey: String, for user: UserContent
    ) throws(OptimizelyError) -> (result: LegacyDecision, key: String) {
        guard let project = parts.runtime.project else { throw .sdkNotReady }
        guard let experiment = project.experiment(experimentKey) else { throw .experimentKeyInvalid(experimentKey) }
        let result = parts.runtime.evaluateLegacy(experimentKey, for: user.user) { project, user, profile in
            project.decideExperiment(experimentKey, for: user, profile: profile)
        }
        guard let result else { throw .experimentKeyInvalid(experimentKey) }
        // A newer datafile may be in use by now; report the experiment of the datafile that decided.
        let decided = result.snapshot.project.experiment(experimentKey) ?? experiment
        let type = result.snapshot.project.isFeatureExperiment(decided) ? "feature-test" : "ab-test"
        let key = result.decision.variationKey
        parts.notifications.sendDecision(type, user) {
            ["experimentKey": experimentKey, "variationKey": key.orNull]
        }
        guard let key else { throw .variationUnknown(user.id, experimentKey) }
        return (result, key)
    }

    // MARK: Forced variations

    /// The variation set by ``setForcedVariation(experimentKey:userId:variationKey:)``, or nil if none is set.
    public func getForcedVariation(experimentKey: String, userId: String) -> String? {
        parts.runtime.forcedVariation(inExperiment: experimentKey, forUser: userId)
    }

    /// Forces a variation of an experiment for a user, in place of bucketing. Kept in memory until the client is
    /// started again.
    ///
    /// - Parameters:
    ///   - experimentKey: The key of the experiment.
    ///   - userId: The user's id.
    ///   - variationKey: The key of the variation; nil removes the forced variation.
    /// - Returns: False if there is no datafile, no such experiment, or no such variation in it.
    public func setForcedVariation(experimentKey: String, userId: String, variationKey: String?) -> Bool {
        parts.runtime.forceVariation(variationKey, inExperiment: experimentKey, forUser: userId)
    }
}
