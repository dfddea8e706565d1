extension Project {
    /// The delivery rule that takes the user: the first whose audience the user belongs to, or else the last one, which
    /// is for everyone else. The status of delivery rules does not count.
    func firstDelivery<Steps: StepRecorder>(
        of flag: Int, for user: User, with memory: borrowing Memory, _ steps: inout Steps
    ) -> Outcome {
        guard let rules = deliveryRules(of: flag, &steps), let last = rules.last else { return .noRule }
        var index = rules.lowerBound
        while index <= last {
            let rule = Int32(index)
            steps.record(.entered(rule: rule))
            if let forced = forcedDecision(flag: flag, rule: rule, for: user, with: memory, &steps) { return forced }
            if let held = localHoldout(of: rule, for: user, &steps) { return held }
            guard admits(rule, user, &steps) else {
                index += 1
                continue
            }
            let variation = groupAdmits(rule, user, &steps) ? bucket(rule, user, &steps) : -1
            steps.record(.assigned(rule: rule, variation: variation))
            if variation >= 0 { return Outcome(stage: .delivered, rule: rule, variation: variation) }
            // Who belongs to a rule's audience but not to its traffic skips all rules between it and the last.
            index = index == last ? last + 1 : last
        }
        return .noRule
    }

    private func deliveryRules<Steps: StepRecorder>(of flag: Int, _ steps: inout Steps) -> Range<Int>? {
        let row = tables.flags[flag]
        guard row.rollout >= 0 else {
            let isNamed = !text(row.rolloutID).unicodeScalars.allSatisfy(\.isBlank)
            steps.record(isNamed ? .unknownRollout : .noRollout)
            return nil
        }
        let rules = tables.rollouts[Int(row.rollout)].rules
        if rules.isEmpty { steps.record(.emptyRollout) }
        return rules.range
    }
}
