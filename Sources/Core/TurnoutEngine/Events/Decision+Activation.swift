extension Decision {
    /// The impression that `activate` sends, with the rule but no flag; nil without a variation.
    public var activation: Impression? {
        guard variationRow >= 0 else { return nil }
        return impression(flagKey: "", ruleType: "experiment", isEnabled: true)
    }
}
