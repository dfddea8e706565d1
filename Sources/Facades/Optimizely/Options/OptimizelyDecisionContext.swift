/// The place that a forced decision is for: a flag, or one rule of it.
public struct OptimizelyDecisionContext: Hashable, Sendable {
    /// The key of the flag.
    public let flagKey: String
    /// The key of the rule, or nil: the flag as a whole.
    public let ruleKey: String?

    /// Names a flag, or one rule of it.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - ruleKey: The key of an experiment or delivery rule. Default: nil, the flag as a whole.
    public init(flagKey: String, ruleKey: String? = nil) {
        self.flagKey = flagKey
        self.ruleKey = ruleKey
    }
}
