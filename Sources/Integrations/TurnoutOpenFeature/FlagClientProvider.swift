#if OpenFeature
    public import OpenFeature
    public import TurnoutClient
    #if ServiceLifecycle
        import ServiceLifecycle
    #endif

    /// A client as a provider of swift-open-feature.
    ///
    /// ```swift
    /// OpenFeatureSystem.setProvider(FlagClientProvider(client))
    /// let flags = OpenFeatureSystem.client()
    /// let ada = OpenFeatureEvaluationContext(targetingKey: "ada", fields: ["country": "US"])
    /// let isOn = await flags.value(for: "checkout_redesign", defaultingTo: false, context: ada)
    /// ```
    ///
    /// The targeting key is the user's id, and the fields are the attributes; dates and objects are left out, because
    /// audiences cannot compare them. A Boolean is whether the flag is on. A string, an integer or a double is the
    /// value of a variable: that named by the field `variableKey`, or `value`, as in the providers for the vendor's
    /// other SDKs. A string can also be a JSON variable, as text.
    ///
    /// Each evaluation is a decision with all its effects: impression, assignment, notification.
    public struct FlagClientProvider: OpenFeatureProvider {
        /// The name `turnout`.
        public let metadata = OpenFeatureProviderMetadata(name: "turnout")
        private let client: FlagClient
        private let limit: Duration

        /// Creates a provider.
        ///
        /// - Parameters:
        ///   - client: Decides.
        ///   - limit: The time that an evaluation waits for predictions and slow stores. Default: 1 second.
        public init(_ client: FlagClient, within limit: Duration = .seconds(1)) {
            self.client = client
            self.limit = limit
        }

        /// Runs the client until the task is canceled; with the trait `ServiceLifecycle`, also until a graceful
        /// shutdown. Do not call it if the program starts and closes the client itself, or runs it with
        /// `FlagClientService`.
        public func run() async throws {
            #if ServiceLifecycle
                try await cancelWhenGracefulShutdown { [client] in try await client.run() }
            #else
                try await client.run()
            #endif
        }

        /// Whether the flag is on.
        public func resolution(
            of flag: String, defaultValue: Bool, context: OpenFeatureEvaluationContext?
        ) async -> OpenFeatureResolution<Bool> {
            await resolution(of: flag, defaultValue, context) { decision, _ in decision.isEnabled }
        }

        /// The value of a string variable, or of a JSON variable as text.
        public func resolution(
            of flag: String, defaultValue: String, context: OpenFeatureEvaluationContext?
        ) async -> OpenFeatureResolution<String> {
            await resolution(of: flag, defaultValue, context) { decision, key throws(OpenFeatureResolutionError) in
                switch try decision.variable(key) {
                case .string(let text): text
                case .json(let members): VariableValue.json(members).description
                default: throw .typeMismatch(key)
                }
            }
        }

        /// The value of an integer variable.
        public func resolution(
            of flag: String, defaultValue: Int, context: OpenFeatureEvaluationContext?
        ) async -> OpenFeatureResolution<Int> {
            await resolution(of: flag, defaultValue, context) { decision, key throws(OpenFeatureResolutionError) in
                guard case .integer(let value) = try decision.variable(key) else { throw .typeMismatch(key) }
                return value
            }
        }

        /// The value of a double or integer variable.
        public func resolution(
            of flag: String, defaultValue: Double, context: OpenFeatureEvaluationContext?
        ) async -> OpenFeatureResolution<Double> {
            await resolution(of: flag, defaultValue, context) { decision, key throws(OpenFeatureResolutionError) in
                switch try decision.variable(key) {
                case .double(let value): value
                case .integer(let value): Double(value)
                default: throw .typeMismatch(key)
                }
            }
        }

        private func resolution<Value: OpenFeatureValue>(
            of flag: String, _ defaultValue: Value, _ context: OpenFeatureEvaluationContext?,
            _ value: (Decision, _ variableKey: String) throws(OpenFeatureResolutionError) -> Value
        ) async -> OpenFeatureResolution<Value> {
            do throws(OpenFeatureResolutionError) {
                guard let context, let id = context.targetingKey else { throw .targetingKeyMissing }
                let user = User(id, attributes: context.attributes)
                let decision = await client.decide(flag, for: user, within: limit)
                if let error = decision.resolutionError { throw error }
                return OpenFeatureResolution(
                    value: try value(decision, context.variableKey), reason: OpenFeatureResolutionReason(decision),
                    variant: decision.variationKey, flagMetadata: decision.flagMetadata)
            } catch {
                return OpenFeatureResolution(value: defaultValue, error: error, reason: .error)
            }
        }
    }

    extension OpenFeatureEvaluationContext {
        /// The name of the field that selects a variable.
        private static let variableKeyField = "variableKey"

        /// The key of the variable to return.
        var variableKey: String {
            if case .string(let key)? = fields[Self.variableKeyField] { key } else { "value" }
        }

        /// The fields that audiences can compare.
        var attributes: Attributes {
            var attributes = Attributes()
            for (name, field) in fields where name != Self.variableKeyField {
                switch field {
                case .bool(let value): attributes[name] = .bool(value)
                case .string(let value): attributes[name] = .string(value)
                case .int(let value): attributes[name] = .integer(Int64(value))
                case .double(let value): attributes[name] = .double(value)
                case .date, .object: break
                }
            }
            return attributes
        }
    }

    extension Decision {
        /// Why there is no decision, or nil.
        var resolutionError: OpenFeatureResolutionError? {
            switch stage {
            case .notReady: OpenFeatureResolutionError(code: .providerNotReady, message: "there is no datafile yet")
            case .flagNotFound:
                OpenFeatureResolutionError(code: .flagNotFound, message: "the datafile has no flag \(flagKey)")
            case .predictionFailed, .needsPrediction:
                OpenFeatureResolutionError(code: .general, message: "the prediction for flag \(flagKey) failed")
            default: nil
            }
        }

        /// The value of a variable.
        func variable(_ key: String) throws(OpenFeatureResolutionError) -> VariableValue {
            guard let value = variables[key] else {
                throw OpenFeatureResolutionError(
                    code: .general,
                    message: "flag \(flagKey) has no variable \(key); name one in the field variableKey")
            }
            return value
        }

        /// Whether the flag is on, and the rule that gave the variation.
        var flagMetadata: [String: OpenFeatureFlagMetadataValue] {
            var metadata: [String: OpenFeatureFlagMetadataValue] = ["enabled": .bool(isEnabled)]
            metadata["ruleKey"] = ruleKey.map { .string($0) }
            return metadata
        }
    }

    extension OpenFeatureResolutionReason {
        /// The reason that comes closest to a decision's stage.
        init(_ decision: Decision) {
            switch decision.stage {
            case .bucketed, .predicted, .holdout: self = .split
            case .storedAssignment: self = .cached
            case .forcedDecision, .forcedRule, .forcedVariation, .whitelist, .rollout: self = .targetingMatch
            case .noRule: self = .default
            case .needsPrediction, .predictionFailed, .flagNotFound, .notReady: self = .error
            }
        }
    }

    extension OpenFeatureResolutionError {
        static var targetingKeyMissing: OpenFeatureResolutionError {
            OpenFeatureResolutionError(code: .targetingKeyMissing, message: "the context has no targeting key")
        }

        /// A variable has another type than the default value.
        static func typeMismatch(_ key: String) -> OpenFeatureResolutionError {
            OpenFeatureResolutionError(code: .typeMismatch, message: "the variable \(key) is of another type")
        }
    }
#endif
