import TurnoutClient

/// The result of evaluating a flag for a user.
///
/// Its values are computed on each access, so a decision costs nothing for those that are not read.
public struct OptimizelyDecision: Equatable, CustomStringConvertible, Sendable {
    private let decision: Decision
    /// A copy of the user context as it was at the decision.
    public let userContext: OptimizelyUserContext

    /// Wraps a decision of the client.
    init(_ decision: Decision, for user: OptimizelyUserContext) {
        self.decision = decision
        userContext = user
    }

    /// The key of the variation, or nil if the user gets none.
    public var variationKey: String? { decision.variationKey }
    /// Whether the flag is on.
    public var enabled: Bool { decision.isEnabled }
    /// The values of the flag's variables.
    public var variables: OptimizelyJSON { OptimizelyJSON(decision.variables) }
    /// The key of the rule that decided, or nil if none did.
    public var ruleKey: String? { decision.ruleKey }
    /// The key of the flag.
    public var flagKey: String { decision.flagKey }
    /// The reasons for the decision: errors always, everything else only with the option `includeReasons`.
    public var reasons: [String] { decision.reasons.map(\.description) }

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
