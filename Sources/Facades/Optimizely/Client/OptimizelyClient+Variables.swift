package import TurnoutClient

extension OptimizelyClient {
    /// Returns the value of a Boolean variable for a user.
    ///
    /// - Throws: `sdkNotReady`, `featureKeyInvalid`, `variableKeyInvalid`, or `variableValueInvalid` if the variable
    ///   has another type or its string in the datafile is not a value of this type.
    public func getFeatureVariableBoolean(
        featureKey: String, variableKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> Bool {
        try variable(variableKey, of: featureKey, .boolean, for: UserContent(userId, attributes)) { value, _ in
            if case .boolean(let value) = value { value } else { nil }
        }
    }

    /// Returns the value of a double variable for a user. Throws the same errors as
    /// ``getFeatureVariableBoolean(featureKey:variableKey:userId:attributes:)``.
    public func getFeatureVariableDouble(
        featureKey: String, variableKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> Double {
        try variable(variableKey, of: featureKey, .double, for: UserContent(userId, attributes)) { value, _ in
            if case .double(let value) = value { value } else { nil }
        }
    }

    /// Returns the value of an integer variable for a user. Throws the same errors as
    /// ``getFeatureVariableBoolean(featureKey:variableKey:userId:attributes:)``.
    public func getFeatureVariableInteger(
        featureKey: String, variableKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> Int {
        try variable(variableKey, of: featureKey, .integer, for: UserContent(userId, attributes)) { value, _ in
            if case .integer(let value) = value { value } else { nil }
        }
    }

    /// Returns the value of a string variable for a user. Throws the same errors as
    /// ``getFeatureVariableBoolean(featureKey:variableKey:userId:attributes:)``.
    public func getFeatureVariableString(
        featureKey: String, variableKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) throws -> String {
        try variable(variableKey, of: featureKey, .string, for: UserContent(userId, attributes)) { value, _ in
            if case .string(let value) = value { value } else { nil }
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

    // MARK: Lookup

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
