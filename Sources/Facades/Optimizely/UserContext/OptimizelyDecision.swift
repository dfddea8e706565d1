import TurnoutClient

/// What a user gets for a flag, and why.
public struct OptimizelyDecision: Equatable, CustomStringConvertible, Sendable {
    /// The key of the variation, or nil: none.
    public let variationKey: String?
    /// Whether the flag is on.
    public let enabled: Bool
    /// The values of the flag's variables.
    public let variables: OptimizelyJSON
    /// The key of the rule that decided, or nil: none did.
    public let ruleKey: String?
    /// The key of the flag.
    public let flagKey: String
    /// The user as of the decision.
    public let userContext: OptimizelyUserContext
    /// Why: errors always, everything else if `includeReasons` was asked for.
    public let reasons: [String]

    /// A decision of the client.
    @inline(__always)
    init(_ decision: Decision, for user: OptimizelyUserContext) {
        variationKey = decision.variationKey
        enabled = decision.isEnabled
        variables = OptimizelyJSON(decision.variables)
        ruleKey = decision.ruleKey
        flagKey = decision.flagKey
        userContext = user
        reasons = decision.reasons.map(\.description)
    }

    /// Whether all fields are equal.
    public static func == (lhs: OptimizelyDecision, rhs: OptimizelyDecision) -> Bool {
        lhs.variationKey == rhs.variationKey && lhs.enabled == rhs.enabled && lhs.variables == rhs.variables
            && lhs.ruleKey == rhs.ruleKey && lhs.flagKey == rhs.flagKey && lhs.userContext == rhs.userContext
            && lhs.reasons == rhs.reasons
    }

    /// The fields, one per line.
    public var description: String {
        let quoted = { (text: String?) in text.map { "\"\($0)\"" } ?? "nil" }
        let lines = reasons.isEmpty ? "" : "\n" + reasons.map { "    - \($0)\n" }.joined()
        return """
            {
              variationKey: \(quoted(variationKey))
              enabled: \(enabled)
              variables: \(variables)
              ruleKey: \(quoted(ruleKey))
              flagKey: \(quoted(flagKey))
              userContext: \(userContext)
              reasons: [\(lines)  ]
            }
            """
    }
}
