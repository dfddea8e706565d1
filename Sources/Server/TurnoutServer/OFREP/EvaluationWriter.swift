import TurnoutEngine

/// Writes evaluations as the protocol defines them.
struct EvaluationWriter {
    private(set) var writer = JSONWriter()

    /// Writes the value of a flag or a variable. Clients require the members `reason` and `variant`, also when they are
    /// empty. Without a member `value` the client uses the default in its code.
    mutating func evaluation(_ key: String, _ decision: Decision, _ value: FlagAddress.Value) {
        writer.beginObject()
        writer.key("key")
        writer.string(key)
        writer.key("reason")
        writer.string(EvaluationReason(decision).rawValue)
        writer.key("variant")
        writer.string(decision.variationKey ?? "")
        self.value(decision, value)
        metadata(decision)
        writer.endObject()
    }

    /// Writes a failure, with the key of the flag unless the request has none.
    mutating func failure(_ failure: EvaluationFailure, key: String?) {
        writer.beginObject()
        if let key {
            writer.key("key")
            writer.string(key)
        }
        writer.key("errorCode")
        writer.string(failure.code.rawValue)
        writer.key("errorDetails")
        writer.string(failure.details)
        writer.endObject()
    }

    /// Writes all flags: each one, then its variables, then all of them as an object.
    mutating func evaluations(_ decisions: [Decision]) {
        writer.key("flags")
        writer.beginArray()
        for decision in decisions {
            evaluation(decision.flagKey, decision, .enabled)
            let variables = decision.flag?.variables ?? []
            for variable in variables {
                evaluation(decision.flagKey + "." + variable.key, decision, .variable(variable.key))
            }
            if !variables.isEmpty { evaluation(decision.flagKey + ".*", decision, .allVariables) }
        }
        writer.endArray()
    }

    /// Writes into the surrounding object or array.
    mutating func with(_ body: (inout JSONWriter) -> Void) { body(&writer) }

    private mutating func value(_ decision: Decision, _ value: FlagAddress.Value) {
        switch value {
        case .enabled:
            writer.key("value")
            writer.bool(decision.isEnabled)
        case .variable(let name):
            guard let value = decision.variables[name]?.jsonValue else { return }
            writer.key("value")
            writer.value(value)
        case .allVariables:
            writer.key("value")
            writer.beginObject()
            for (key, value) in decision.variables.all {
                guard let value = value.jsonValue else { continue }
                writer.key(key)
                writer.value(value)
            }
            writer.endObject()
        }
    }

    private mutating func metadata(_ decision: Decision) {
        writer.key("metadata")
        writer.beginObject()
        writer.key("flagKey")
        writer.string(decision.flagKey)
        writer.key("enabled")
        writer.bool(decision.isEnabled)
        if let rule = decision.rule {
            writer.key("ruleKey")
            writer.string(rule.key)
            writer.key("experimentId")
            writer.string(rule.id)
        }
        if let revision = decision.revision {
            writer.key("revision")
            writer.string(revision)
        }
        writer.endObject()
    }
}
