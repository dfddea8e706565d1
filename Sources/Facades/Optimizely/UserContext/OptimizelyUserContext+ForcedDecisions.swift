import TurnoutClient

extension OptimizelyUserContext {
    /// Forces a variation for a flag or one of its rules. The variation key is checked when the flag is evaluated.
    ///
    /// - Parameters:
    ///   - context: The flag or rule.
    ///   - decision: The variation.
    /// - Returns: True.
    public func setForcedDecision(context: OptimizelyDecisionContext, decision: OptimizelyForcedDecision) -> Bool {
        change { content in
            content.with(forced: (content.forced ?? [:]).merging([context.key: decision.variationKey]) { $1 })
        }
        return true
    }

    /// The forced decision for a flag or rule, or nil if there is none.
    public func getForcedDecision(context: OptimizelyDecisionContext) -> OptimizelyForcedDecision? {
        content.forced?[context.key].map { OptimizelyForcedDecision(variationKey: $0) }
    }

    /// Removes the forced decision for a flag or rule. Returns whether there was one.
    public func removeForcedDecision(context: OptimizelyDecisionContext) -> Bool {
        var removed = false
        change { content in
            guard var forced = content.forced, forced.removeValue(forKey: context.key) != nil else { return content }
            removed = true
            return content.with(forced: forced)
        }
        return removed
    }

    /// Removes all forced decisions. Returns true even if there were none.
    public func removeAllForcedDecisions() -> Bool {
        change { $0.forced == nil ? $0 : $0.with(forced: [:]) }
        return true
    }
}

extension OptimizelyDecisionContext {
    fileprivate var key: DecisionContext { DecisionContext(flag: flagKey, rule: ruleKey) }
}
