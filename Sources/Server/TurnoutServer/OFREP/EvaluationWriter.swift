import TurnoutEngine

/// Writes evaluations as the protocol defines them.
struct EvaluationWriter {
    private(set) var writer = JSONWriter()

    /// Writes the value of a flag or a variable. Clients require the members `reason` and `variant`, also when they are
    /// empty. Without a member `value` the client uses the default in its code.
    mutating func evaluation(_ key: String, _ decision: Decision, _ value: FlagAddress.Value) {
        evaluation(key, decision, value, SharedMembers(decision))
    }

    private mutating func evaluation(
        _ key: String, _ decision: Decision, _ value: FlagAddress.Value, _ shared: SharedMembers
    ) {
        writer.beginObject()
        writer.member("key", key)
        writer.raw(shared.beforeValue)
        self.value(decision, value)
        writer.raw(shared.afterValue)
        writer.endObject()
    }

    /// Writes a failure, with the key of the flag unless the request has none.
    mutating func failure(_ failure: EvaluationFailure, key: String?) {
        writer.object {
            if let key { $0.member("key", key) }
            $0.member("errorCode", failure.code.rawValue)
            $0.member("errorDetails", failure.details)
        }
    }

    /// Writes all flags. `texts` caches the JSON of each outcome.
    mutating func evaluations(_ decisions: [Decision], _ texts: OutcomeTexts) {
        writer.list("flags", texts.texts(of: decisions, Self.evaluations)) { $0.raw($1) }
    }

    /// The elements for one flag: the flag, then its variables, then all of them as an object.
    private static func evaluations(of decision: Decision) -> String {
        var elements = EvaluationWriter()
        let (flagKey, shared) = (decision.flagKey, SharedMembers(decision))
        elements.evaluation(flagKey, decision, .enabled, shared)
        let variables = decision.flag?.variables ?? []
        for key in variables.map(\.key) {
            elements.evaluation(flagKey + "." + key, decision, .variable(key), shared)
        }
        if !variables.isEmpty { elements.evaluation(flagKey + ".*", decision, .allVariables, shared) }
        return elements.writer.text
    }

    /// Writes into the surrounding object or array.
    mutating func with(_ body: (inout JSONWriter) -> Void) { body(&writer) }

    private mutating func value(_ decision: Decision, _ value: FlagAddress.Value) {
        switch value {
        case .enabled:
            writer.member("value", decision.isEnabled)
        case .variable(let name):
            guard let value = decision.variables[name]?.jsonValue else { return }
            writer.member("value", value)
        case .allVariables:
            writer.object("value") {
                for (key, value) in decision.variables.all {
                    if let value = value.jsonValue { $0.member(key, value) }
                }
            }
        }
    }
}

/// The members that all evaluations of a decision share, as JSON: there is one for each variable.
private struct SharedMembers {
    let beforeValue: String
    let afterValue: String

    init(_ decision: Decision) {
        var writer = JSONWriter()
        writer.member("reason", EvaluationReason(decision).rawValue)
        writer.member("variant", decision.variationKey ?? "")
        beforeValue = writer.text
        writer.removeAll()
        Self.writeMetadata(of: decision, to: &writer)
        afterValue = writer.text
    }

    private static func writeMetadata(of decision: Decision, to writer: inout JSONWriter) {
        writer.object("metadata") {
            $0.member("flagKey", decision.flagKey)
            $0.member("enabled", decision.isEnabled)
            if let rule = decision.rule {
                $0.member("ruleKey", rule.key)
                $0.member("experimentId", rule.id)
            }
            if let revision = decision.revision { $0.member("revision", revision) }
        }
    }
}

/// Why a flag has its value: those of OpenFeature's reasons that the protocol's schema lists.
enum EvaluationReason: String {
    /// A rule for an audience, a list of users, or the rule for everyone else after others applied.
    case targetingMatch = "TARGETING_MATCH"
    case split = "SPLIT"
    case `static` = "STATIC"
    /// The flag is off: no rule applied, or a holdout keeps the user out.
    case disabled = "DISABLED"

    init(_ decision: Decision) {
        switch decision.stage {
        case .bucketed, .storedAssignment, .predicted: self = .split
        case .forcedDecision, .forcedRule, .forcedVariation, .whitelist: self = .targetingMatch
        case .holdout: self = decision.isEnabled ? .split : .disabled
        case .rollout: self = Self.ofRollout(decision)
        case .noRule, .needsPrediction, .predictionFailed, .flagNotFound, .notReady: self = .disabled
        }
    }

    private static func ofRollout(_ decision: Decision) -> EvaluationReason {
        guard let rule = decision.rule else { return .disabled }
        if rule.hasAudience { return .targetingMatch }
        // The last rule of a rollout is for everyone else.
        guard let flag = decision.flag, flag.rolloutRules.last?.id == rule.id,
            rule.traffic.first?.buckets.count == Bucketing.bucketCount
        else { return .split }
        return flag.rolloutRules.count == 1 && flag.experiments.isEmpty ? .static : .targetingMatch
    }
}
