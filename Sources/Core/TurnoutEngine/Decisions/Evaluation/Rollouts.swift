extension DecisionEvaluator {
    /// The rollout rule that applies: the first whose audience the user is in, or else the last one, which is for
    /// everyone else. The status of rollout rules is ignored.
    func firstRolloutRule<Steps: StepRecorder>(
        of flag: Int, for user: User, with inputs: borrowing DecisionInputs, _ steps: inout Steps
    ) -> DecisionOutcome {
        guard let rules = rolloutRules(of: flag, &steps), let last = rules.last else { return .noRule }
        var index = rules.lowerBound
        while index <= last {
            let rule = Int32(index)
            steps.record(.entered(rule: rule))
            if let forced = forcedDecision(flag: flag, rule: rule, for: user, with: inputs, &steps) { return forced }
            if let held = localHoldout(of: rule, for: user, &steps) { return held }
            guard admits(rule, user, &steps) else {
                index += 1
                continue
            }
            let variation = groupAdmits(rule, user, &steps) ? bucket(rule, user, &steps) : -1
            steps.record(.assigned(rule: rule, variation: variation))
            if variation >= 0 { return DecisionOutcome(stage: .rollout, rule: rule, variation: variation) }
            // A user in a rule's audience but not in its traffic skips to the last rule.
            index = index == last ? last + 1 : last
        }
        return .noRule
    }

    private func rolloutRules<Steps: StepRecorder>(of flag: Int, _ steps: inout Steps) -> Range<Int>? {
        let row = project.tables.flags[flag]
        guard row.rollout >= 0 else {
            let isNamed = !project.text(row.rolloutID).unicodeScalars.allSatisfy(\.isBlank)
            steps.record(isNamed ? .unknownRollout : .noRollout)
            return nil
        }
        let rules = project.tables.rollouts[Int(row.rollout)].rules
        if rules.isEmpty { steps.record(.emptyRollout) }
        return rules.range
    }
}
