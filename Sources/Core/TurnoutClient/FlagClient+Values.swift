// Values typed by a default. Those of `VariableConvertible` types are inlinable into the caller's module, where the
// compiler specializes them: otherwise each call looks up the metadata of an optional value, which is half of
// the time to read a variable.

extension FlagClient {
    /// Decides a flag, and returns whether it is on.
    ///
    /// ```swift
    /// if client.isEnabled("checkout", for: ada) { … }
    /// ```
    ///
    /// The effects are those of ``decide(_:for:options:)->Decision``. An unknown flag is off, and is logged once.
    ///
    /// - Complexity: That of ``decide(_:for:options:)->Decision``.
    public func isEnabled(_ flagKey: String, for user: User, options: DecideOptions = []) -> Bool {
        isEnabled(decide(flagKey, for: user, options: options))
    }

    /// Decides a flag, and returns the value of one of its variables. The type is that of the default: `Bool`, `Int`,
    /// `Double` or `String`.
    ///
    /// ```swift
    /// let steps = client.value("checkout", "steps", default: 3, for: ada)
    /// ```
    ///
    /// The effects are those of ``decide(_:for:options:)->Decision``. If the flag is off, the value is the one that the
    /// datafile has for all users.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - variableKey: The key of the variable.
    ///   - value: The result if there is no such flag or variable, if it is of another type, or if there is no datafile
    ///     yet. Each cause is logged as a warning, once for each flag and variable.
    ///   - user: The user to decide for.
    ///   - options: Options in addition to the client's defaults.
    /// - Returns: The value.
    /// - Complexity: That of ``decide(_:for:options:)->Decision``, and O(n) in the number of the flag's variables.
    @inlinable
    public func value<Value: VariableConvertible>(
        _ flagKey: String, _ variableKey: String, default value: Value, for user: User, options: DecideOptions = []
    ) -> Value {
        self.value(of: variableKey, in: decide(flagKey, for: user, options: options), default: value)
    }

    /// Decides a flag, and decodes the value of one of its variables. The type is that of the default.
    ///
    /// ```swift
    /// struct Theme: Decodable { let color: String; let columns: Int }
    /// let theme = client.value("checkout", "theme", default: Theme(color: "blue", columns: 2), for: ada)
    /// ```
    ///
    /// Equal to `value(_:_:default:for:options:)` in everything else. For the types that can be decoded, and those with
    /// a `URL`, `Decimal`, `Data` or `Date`, see `Variables.decode(_:_:)`.
    ///
    /// - Complexity: In addition, O(n) in the length of the value; it is decoded with each call.
    public func value<Value: Decodable>(
        _ flagKey: String, _ variableKey: String, default value: Value, for user: User, options: DecideOptions = []
    ) -> Value {
        self.value(of: variableKey, in: decide(flagKey, for: user, options: options), default: value)
    }

    // MARK: Waiting for predictions and slow stores

    /// Decides a flag, waits for what the decision needs, and returns whether it is on.
    ///
    /// See ``isEnabled(_:for:options:)`` and ``decide(_:for:within:options:)->Decision``.
    public func isEnabled(
        _ flagKey: String, for user: User, within limit: Duration, options: DecideOptions = []
    ) async -> Bool {
        isEnabled(await decide(flagKey, for: user, within: limit, options: options))
    }

    /// Decides a flag, waits for what the decision needs, and returns the value of one of its variables.
    ///
    /// See `value(_:_:default:for:options:)` and
    /// ``decide(_:for:within:options:)->Decision``.
    @inlinable
    public func value<Value: VariableConvertible>(
        _ flagKey: String, _ variableKey: String, default value: Value, for user: User, within limit: Duration,
        options: DecideOptions = []
    ) async -> Value {
        let decision = await decide(flagKey, for: user, within: limit, options: options)
        return self.value(of: variableKey, in: decision, default: value)
    }

    /// Decides a flag, waits for what the decision needs, and decodes the value of one of its variables.
    ///
    /// See `value(_:_:default:for:options:)` and ``decide(_:for:within:options:)->Decision``.
    public func value<Value: Decodable>(
        _ flagKey: String, _ variableKey: String, default value: Value, for user: User, within limit: Duration,
        options: DecideOptions = []
    ) async -> Value {
        let decision = await decide(flagKey, for: user, within: limit, options: options)
        return self.value(of: variableKey, in: decision, default: value)
    }

    // MARK: Reading decisions

    private func isEnabled(_ decision: Decision) -> Bool {
        if decision.isEnabled { return true }
        if decision.isError { valueProblems.report(decision) }
        return false
    }

    @inlinable
    func value<Value: VariableConvertible>(
        of variableKey: String, in decision: Decision, default value: Value
    ) -> Value {
        if let found = decision.variables[variableKey], let result = Value(found) { return result }
        reportDefault(of: variableKey, in: decision, as: Value.self)
        return value
    }

    @usableFromInline @inline(never)
    func reportDefault(of variableKey: String, in decision: Decision, as type: Any.Type) {
        let found = decision.variables[variableKey]
        let error: VariableError =
            found.map { .undecodable(variable: variableKey, problem: $0.mismatch(type)) }
            ?? .unknown(variable: variableKey)
        valueProblems.report(decision, variable: variableKey, "\(error)")
    }

    private func value<Value: Decodable>(
        of variableKey: String, in decision: Decision, default value: Value
    ) -> Value {
        do throws(VariableError) { return try decision.variables.decode(Value.self, variableKey) } catch {
            let isJSON = decision.variables.jsonBytes(variableKey) != nil
            valueProblems.report(
                decision, variable: variableKey, "\(error)",
                advice: isJSON ? Self.advice(onDecoding: Value.self, variableKey) : "")
            return value
        }
    }

    private static func advice(onDecoding type: Any.Type, _ key: String) -> String {
        "; Foundation's types, such as URL, need its decoder: try JSONDecoder().decode(\(type).self, "
            + "from: Data(decision.variables.jsonBytes(\(key.debugDescription)) ?? []))"
    }
}

extension VariableValue {
    fileprivate func mismatch(_ type: Any.Type) -> String {
        let kind =
            switch self {
            case .string: "string"
            case .integer: "integer"
            case .double: "double"
            case .boolean: "boolean"
            case .json: "json"
            }
        return "its type is \(kind), not \(type)"
    }
}
