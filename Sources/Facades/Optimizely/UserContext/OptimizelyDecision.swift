import TurnoutClient

/// The result of evaluating a flag for a user.
public struct OptimizelyDecision: Equatable, CustomStringConvertible, Sendable {
    /// The key of the variation, or nil if the user gets none.
    public let variationKey: String?
    /// Whether the flag is on.
    public let enabled: Bool
    /// The values of the flag's variables.
    public let variables: OptimizelyJSON
    /// The key of the rule that decided, or nil if none did.
    public let ruleKey: String?
    /// The key of the flag.
    public let flagKey: String
    /// A copy of the user context as it was at the decision.
    public let userContext: OptimizelyUserContext
    /// The reasons for the decision: errors always, everything else only with the option `includeReasons`.
    public let reasons: [String]

    /// Wraps a decision of the client.
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

    /// Returns whether all fields are equal.
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
