// Results of the engine, in the format of the cases.

extension JSONValue {
    init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    static func variables(_ variables: Variables) -> JSONValue {
        .object(Dictionary(variables.all.map { ($0.key, $0.value.jsonValue ?? .null) }) { $1 })
    }

    static func decision(_ decision: Decision) -> JSONValue {
        .object([
            "flagKey": .string(decision.flagKey), "variationKey": JSONValue(decision.variationKey),
            "ruleKey": JSONValue(decision.ruleKey), "enabled": .bool(decision.isEnabled),
            "variables": variables(decision.variables),
            "reasons": .array(decision.reasons.map { .string($0.description) }),
        ])
    }

    static func impression(_ impression: Impression) -> JSONValue {
        var writer = JSONWriter()
        writer.impression(impression)
        return (try? JSONValue(parsing: writer.bytes)) ?? .null
    }

    static func notification(_ notification: DecisionNotification) -> JSONValue {
        .object([
            "flagKey": .string(notification.flagKey), "enabled": .bool(notification.isEnabled),
            "variables": variables(notification.variables), "variationKey": JSONValue(notification.variationKey),
            "ruleKey": JSONValue(notification.ruleKey),
            "reasons": .array(notification.reasons.map { .string($0.description) }),
            "decisionEventDispatched": .bool(notification.isEventDispatched),
            "experimentId": JSONValue(notification.experimentID), "variationId": JSONValue(notification.variationID),
        ])
    }
}
