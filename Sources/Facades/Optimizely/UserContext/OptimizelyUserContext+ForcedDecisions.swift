import TurnoutClient

extension OptimizelyUserContext {
    /// Gives the user a variation whatever the rules say, for a flag or one of its rules. Checked when it is used.
    ///
    /// - Parameters:
    ///   - context: The flag, or the rule.
    ///   - decision: The variation.
    /// - Returns: True.
    public func setForcedDecision(context: OptimizelyDecisionContext, decision: OptimizelyForcedDecision) -> Bool {
        change { content in
            content.with(forced: (content.forced ?? [:]).merging([context.key: decision.variationKey]) { $1 })
        }
        return true
    }

    /// What was forced for a flag or one of its rules, or nil: nothing.
    public func getForcedDecision(context: OptimizelyDecisionContext) -> OptimizelyForcedDecision? {
        content.forced?[context.key].map { OptimizelyForcedDecision(variationKey: $0) }
    }

    /// Forces a flag or rule no more. Whether it was forced.
    public func removeForcedDecision(context: OptimizelyDecisionContext) -> Bool {
        var removed = false
        change { content in
            guard var forced = content.forced, forced.removeValue(forKey: context.key) != nil else { return content }
            removed = true
            return content.with(forced: forced)
        }
        return removed
    }

    /// Forces nothing any more. True, even if nothing was forced.
    public func removeAllForcedDecisions() -> Bool {
        change { $0.forced == nil ? $0 : $0.with(forced: [:]) }
        return true
    }
}

extension OptimizelyDecisionContext {
    fileprivate var key: DecisionContext { DecisionContext(flag: flagKey, rule: ruleKey) }
}
