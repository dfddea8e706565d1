import Foundation
package import TurnoutClient

// The calls for a flag that predate `decide`.

extension OptimizelyClient {
    /// Returns whether a flag is on for a user. Sends an impression if an experiment or a holdout decided.
    ///
    /// - Parameters:
    ///   - featureKey: The key of the flag.
    ///   - userId: The user's id.
    ///   - attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: Whether the flag is on; false, with an error in the log, if there is no datafile or no such flag.
    public func isFeatureEnabled(
        featureKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) -> Bool {
        guard let project = parts.runtime.project else {
            parts.log.report(.sdkNotReady)
            return false
        }
        // Checked before the user profile lookup, as in the vendor's client.
        guard project.flag(featureKey) != nil else {
            parts.log.report(.featureKeyInvalid(featureKey))
            return false
        }
        return isEnabled(featureKey, for: UserContent(userId, attributes))
    }

    /// Returns the keys of the flags that are on for a user, in the datafile's order. Sends the same impressions as
    /// ``isFeatureEnabled(featureKey:userId:attributes:)`` does for each flag.
    ///
    /// - Parameters:
    ///   - userId: The user's id.
    ///   - attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: The keys; empty, with an error in the log, if there is no datafile.
    public func getEnabledFeatures(userId: String, attributes: OptimizelyAttributes? = nil) -> [String] {
        guard let project = parts.runtime.project else {
            parts.log.report(.sdkNotReady)
            return []
        }
        let user = UserContent(userId, attributes)
        return project.flags.map(\.key).filter { isEnabled($0, for: user) }
    }

    private func isEnabled(_ featureKey: String, for user: UserContent) -> Bool {
        guard let result = decideFeature(featureKey, for: user) else {
            parts.log.report(.featureKeyInvalid(featureKey))
            return false
        }
        let decision = result.decision
        if let impression = decision.impression {
            let event = parts.runtime.send(impression, of: user.user, with: result.snapshot)
            parts.notifications.sendActivation(decision, event, user)
        }
        parts.notifications.sendDecision("feature", user) { decision.featureInfo }
        return decision.isEnabled
    }

    /// The decision for a flag, or nil if there is no such flag.
    func decideFeature(_ featureKey: String, for user: UserContent) -> LegacyDecision? {
        parts.runtime.evaluateLegacy(featureKey, for: user.user) { project, user, profile in
            project.decideFeature(featureKey, for: user, profile: profile)
        }
    }

    /// Returns a snapshot of the current datafile's contents.
    ///
    /// - Throws: `sdkNotReady` if there is no datafile.
    public func getOptimizelyConfig() throws -> any OptimizelyConfig {
        guard let project = parts.runtime.project else { throw OptimizelyError.sdkNotReady }
        return ConfigSnapshot(project: project) { parts.log(.warning, $0) }
    }
}

extension Decision {
    /// The decision info of a notification about a flag.
    package var featureInfo: [String: Any] {
        var source: [String: Any] = [:]
        if let ruleKey, let variationKey { source = ["experimentKey": ruleKey, "variationKey": variationKey] }
        return [
            "featureKey": flagKey, "featureEnabled": isEnabled, "source": self.source.rawValue, "sourceInfo": source,
        ]
    }
}

extension String? {
    /// The string, or `NSNull` for maps that cannot hold nil.
    package var orNull: Any { self ?? NSNull() as Any }
}

extension OptimizelyClient {
    /// Returns the value of a Boolean variable for a user.
    ///
    /// - Throws: `sdkNotReady`, `featureKeyInvalid`, `variableKeyInvalid`, or `variableValueInvalid` if the variable
    ///   has another type or its string in the datafile is not a value of this type.
    public func getFeatureVariableBoolean(
        featureKey: String, variableKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> Bool {
        try variable(variableKey, of: featureKey, .boolean, for: UserContent(userId, attributes)) { value, _ in
            value.anyValue as? Bool
        }
    }

    /// Returns the value of a double variable for a user. Throws the same errors as
    /// ``getFeatureVariableBoolean(featureKey:variableKey:userId:attributes:)``.
    public func getFeatureVariableDouble(
        featureKey: String, variableKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> Double {
        try variable(variableKey, of: featureKey, .double, for: UserContent(userId, attributes)) { value, _ in
            value.anyValue as? Double
        }
    }

    /// Returns the value of an integer variable for a user. Throws the same errors as
    /// ``getFeatureVariableBoolean(featureKey:variableKey:userId:attributes:)``.
    public func getFeatureVariableInteger(
        featureKey: String, variableKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> Int {
        try variable(variableKey, of: featureKey, .integer, for: UserContent(userId, attributes)) { value, _ in
            value.anyValue as? Int
        }
    }

    /// Returns the value of a string variable for a user. Throws the same errors as
    /// ``getFeatureVariableBoolean(featureKey:variableKey:userId:attributes:)``.
    public func getFeatureVariableString(
        featureKey: String, variableKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> String {
        try variable(variableKey, of: featureKey, .string, for: UserContent(userId, attributes)) { value, _ in
            value.anyValue as? String
        }
    }

    /// Returns the value of a JSON variable, an object, for a user. Throws the same errors as
    /// ``getFeatureVariableBoolean(featureKey:variableKey:userId:attributes:)``.
    public func getFeatureVariableJSON(
        featureKey: String, variableKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> OptimizelyJSON {
        try variable(variableKey, of: featureKey, .json, for: UserContent(userId, attributes)) {
            if case .json(let members) = $0 { OptimizelyJSON(members, text: $1) } else { nil }
        }
    }

    /// Returns the values of all variables of a flag for a user. Omits variables whose string in the datafile is not a
    /// valid value.
    ///
    /// - Throws: `sdkNotReady`, `featureKeyInvalid`, or `invalidJSONVariable` if one of the values cannot be
    ///   represented as JSON.
    public func getAllFeatureVariables(
        featureKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> OptimizelyJSON {
        let user = UserContent(userId, attributes)
        _ = try flag(featureKey)
        guard let decision = decideFeature(featureKey, for: user)?.decision else {
            throw OptimizelyError.featureKeyInvalid(featureKey)
        }
        for case .invalidVariable(let key) in decision.reasons { parts.log.report(.variableValueInvalid(key)) }
        guard !decision.reasons.contains(.invalidVariables) else { throw OptimizelyError.invalidJSONVariable }
        let values = OptimizelyJSON(decision.variables)
        parts.notifications.sendDecision("all-feature-variables", user) {
            decision.featureInfo.merging(["variableValues": values.toMap()]) { $1 }
        }
        return values
    }

    private func variable<Value>(
        _ key: String, of featureKey: String, _ type: Variable.ValueType, for user: UserContent,
        _ read: (VariableValue, _ text: String) -> Value?
    ) throws(OptimizelyError) -> Value {
        guard try flag(featureKey).variables.contains(where: { $0.key == key }) else {
            throw .variableKeyInvalid(key, featureKey)
        }
        guard let decision = decideFeature(featureKey, for: user)?.decision else {
            throw .featureKeyInvalid(featureKey)
        }
        // A newer datafile may be in use by now; take the variable from the datafile that decided.
        guard let variable = decision.flag?.variables.first(where: { $0.key == key }) else {
            throw .variableKeyInvalid(key, featureKey)
        }
        // The decision is already made and stored, even if the value turns out to be invalid.
        let text = decision.text(of: variable)
        guard type == variable.type, let value = VariableValue(text, type: type), let result = read(value, text) else {
            throw .variableValueInvalid(key)
        }
        parts.notifications.sendDecision("feature-variable", user) {
            decision.featureInfo.merging(
                ["variableKey": key, "variableType": variable.typeName, "variableValue": value.anyValue]) { $1 }
        }
        return result
    }

    private func flag(_ key: String) throws(OptimizelyError) -> Flag {
        guard let project = parts.runtime.project else { throw .sdkNotReady }
        guard let flag = project.flag(key) else { throw .featureKeyInvalid(key) }
        return flag
    }
}

extension Decision {
    /// The variable's string: the variation's override if the variation is on and has one, otherwise the flag's
    /// default.
    package func text(of variable: Variable) -> String {
        let overrides = isEnabled ? variation?.overrides ?? [] : []
        return overrides.first { $0.variableID == variable.id }?.value ?? variable.defaultValue
    }
}

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
