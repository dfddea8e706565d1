/// A decision for a flag, as listeners receive it.
public struct DecisionNotification: Sendable {
    /// The key of the flag.
    public let flagKey: String
    /// Whether the flag is on.
    public let isEnabled: Bool
    /// The values of the flag's variables, including those that JSON cannot represent.
    public let variables: Variables
    /// The key of the variation, or nil.
    public let variationKey: String?
    /// The key of the rule, or nil.
    public let ruleKey: String?
    /// The reasons, as in the decision.
    public let reasons: [Reason]
    /// Whether an impression is sent.
    public let isEventDispatched: Bool
    /// The id of the rule, or nil.
    public let experimentID: String?
    /// The id of the variation, or nil.
    public let variationID: String?
}

extension Decision {
    /// The notification for listeners, or nil for an error.
    public var notification: DecisionNotification? {
        guard flagRow >= 0, !isError else { return nil }
        return DecisionNotification(
            flagKey: flagKey, isEnabled: isEnabled, variables: allVariables, variationKey: variationKey,
            ruleKey: ruleKey, reasons: reasons, isEventDispatched: impression != nil, experimentID: rule?.id,
            variationID: variation?.id)
    }
}
