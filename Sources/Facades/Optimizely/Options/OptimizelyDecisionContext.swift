/// The target of a forced decision: a flag, or one of its rules.
public struct OptimizelyDecisionContext: Hashable, Sendable {
    /// The key of the flag.
    public let flagKey: String
    /// The key of the rule, or nil for the flag as a whole.
    public let ruleKey: String?

    /// Creates a context for a flag or one of its rules.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - ruleKey: The key of an experiment or rollout rule. Default: nil, the flag as a whole.
    public init(flagKey: String, ruleKey: String? = nil) {
        self.flagKey = flagKey
        self.ruleKey = ruleKey
    }
}

/// The variation that a user gets regardless of the rules.
public struct OptimizelyForcedDecision: Equatable, Sendable {
    /// The key of the variation.
    public let variationKey: String

    /// Creates a forced decision. The variation may belong to any rule of the flag.
    public init(variationKey: String) { self.variationKey = variationKey }
}
