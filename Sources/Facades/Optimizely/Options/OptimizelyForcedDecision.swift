/// The variation that a user gets regardless of the rules.
public struct OptimizelyForcedDecision: Equatable, Sendable {
    /// The key of the variation.
    public let variationKey: String

    /// Creates a forced decision. The variation may belong to any rule of the flag.
    public init(variationKey: String) { self.variationKey = variationKey }
}
