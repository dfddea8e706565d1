/// What a user gets whatever the rules say.
public struct OptimizelyForcedDecision: Equatable, Sendable {
    /// The key of the variation.
    public let variationKey: String

    /// Names a variation, which may belong to any rule of the flag.
    public init(variationKey: String) { self.variationKey = variationKey }
}
