extension UserContext {
    /// Decides a flag, and returns whether it is on. See ``FlagClient/isEnabled(_:for:options:)``.
    ///
    /// ```swift
    /// if ada.isEnabled("checkout") { … }
    /// ```
    public func isEnabled(_ flagKey: String, options: DecideOptions = []) -> Bool {
        client.isEnabled(flagKey, for: user, options: options)
    }

    /// Decides a flag, and returns the value of one of its variables. The type is that of the default: `Bool`, `Int`,
    /// `Double` or `String`. See `FlagClient.value(_:_:default:for:options:)`.
    ///
    /// ```swift
    /// let steps = ada.value("checkout", "steps", default: 3)
    /// ```
    @inlinable
    public func value<Value: VariableConvertible>(
        _ flagKey: String, _ variableKey: String, default value: Value, options: DecideOptions = []
    ) -> Value {
        client.value(flagKey, variableKey, default: value, for: user, options: options)
    }

    /// Decides a flag, and decodes the value of one of its variables. The type is that of the default. See
    /// `FlagClient.value(_:_:default:for:options:)`.
    ///
    /// ```swift
    /// let theme = ada.value("checkout", "theme", default: Theme.standard)
    /// ```
    public func value<Value: Decodable>(
        _ flagKey: String, _ variableKey: String, default value: Value, options: DecideOptions = []
    ) -> Value {
        client.value(flagKey, variableKey, default: value, for: user, options: options)
    }

    // MARK: Waiting for predictions and slow stores

    /// Decides a flag, waits for what the decision needs, and returns whether it is on.
    public func isEnabled(_ flagKey: String, within limit: Duration, options: DecideOptions = []) async -> Bool {
        await client.isEnabled(flagKey, for: user, within: limit, options: options)
    }

    /// Decides a flag, waits for what the decision needs, and returns the value of one of its variables.
    @inlinable
    public func value<Value: VariableConvertible>(
        _ flagKey: String, _ variableKey: String, default value: Value, within limit: Duration,
        options: DecideOptions = []
    ) async -> Value {
        await client.value(flagKey, variableKey, default: value, for: user, within: limit, options: options)
    }

    /// Decides a flag, waits for what the decision needs, and decodes the value of one of its variables.
    public func value<Value: Decodable>(
        _ flagKey: String, _ variableKey: String, default value: Value, within limit: Duration,
        options: DecideOptions = []
    ) async -> Value {
        await client.value(flagKey, variableKey, default: value, for: user, within: limit, options: options)
    }
}
