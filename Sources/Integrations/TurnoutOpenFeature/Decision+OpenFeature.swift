#if OpenFeature
    import OpenFeature
    import TurnoutClient

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
