extension DecisionEvaluator {
    /// The user's forced decision for the whole flag.
    func forcedDecision<Steps: StepRecorder>(
        flag: Int, for user: User, with inputs: borrowing DecisionInputs, _ steps: inout Steps
    ) -> DecisionOutcome? {
        guard inputs.considersForcedDecisions, !user.forcedDecisions.isEmpty,
            let key = user.forcedDecisions[DecisionContext(flag: project.text(project.tables.flags[flag].key))]
        else { return nil }
        guard let variation = variation(key, ofFlag: flag) else {
            steps.record(.invalidForcedFlag)
            return nil
        }
        steps.record(.forcedFlag(variation: variation))
        return DecisionOutcome(stage: .forcedDecision, variation: variation)
    }

    /// The user's forced decision for one rule of the flag. It may be any variation of the flag.
    @inline(__always)
    func forcedDecision<Steps: StepRecorder>(
        flag: Int, rule: Int32, for user: User, with inputs: borrowing DecisionInputs, _ steps: inout Steps
    ) -> DecisionOutcome? {
        guard !user.forcedDecisions.isEmpty, inputs.considersForcedDecisions else { return nil }
        return ruleDecision(flag: flag, rule: rule, for: user, &steps)
    }

    private func ruleDecision<Steps: StepRecorder>(
        flag: Int, rule: Int32, for user: User, _ steps: inout Steps
    ) -> DecisionOutcome? {
        let context = DecisionContext(
            flag: project.text(project.tables.flags[flag].key), rule: project.text(project.tables.rules[Int(rule)].key))
        guard let key = user.forcedDecisions[context] else { return nil }
        guard let variation = variation(key, ofFlag: flag) else {
            steps.record(.invalidForcedRule(rule: rule))
            return nil
        }
        steps.record(.forcedRule(rule: rule, variation: variation))
        return DecisionOutcome(stage: .forcedRule, rule: rule, variation: variation)
    }

    /// The first variation with a key in the flag's experiments and rollout rules. If several variations have the same
    /// id, only the first counts.
    private func variation(_ key: String, ofFlag flag: Int) -> Int32? {
        guard let key = project.tables.symbols.find(key) else { return nil }
        var ids: Set<Symbol> = []
        var found: Int32?
        _ = project.tables.firstRule(of: project.tables.flags[flag]) { rule in
            for row in project.tables.rules[rule].variations.range where found == nil {
                let variation = project.tables.variations[row]
                let isFirst = ids.insert(variation.id).inserted
                if isFirst, variation.key == key { found = Int32(row) }
            }
            return found != nil
        }
        return found
    }
}
