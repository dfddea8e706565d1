extension DecisionEvaluator {
    /// The first global holdout that keeps the user out.
    @inline(__always)
    func globalHoldout<Steps: StepRecorder>(for user: User, _ steps: inout Steps) -> DecisionOutcome? {
        guard !project.tables.globalHoldouts.isEmpty else { return nil }
        return firstGlobalHoldout(for: user, &steps)
    }

    private func firstGlobalHoldout<Steps: StepRecorder>(for user: User, _ steps: inout Steps) -> DecisionOutcome? {
        for row in project.tables.globalHoldouts.range {
            if let held = holdout(Int32(row), for: user, &steps) { return held }
        }
        return nil
    }

    /// The first local holdout of a rule that keeps the user out.
    @inline(__always)
    func localHoldout<Steps: StepRecorder>(
        of rule: Int32, for user: User, _ steps: inout Steps
    ) -> DecisionOutcome? {
        guard !project.tables.rules[Int(rule)].localHoldouts.isEmpty else { return nil }
        return firstLocalHoldout(of: rule, for: user, &steps)
    }

    private func firstLocalHoldout<Steps: StepRecorder>(
        of rule: Int32, for user: User, _ steps: inout Steps
    ) -> DecisionOutcome? {
        for index in project.tables.rules[Int(rule)].localHoldouts.range {
            if let held = holdout(project.tables.localHoldoutRows[index], for: user, &steps) { return held }
        }
        return nil
    }

    private func holdout<Steps: StepRecorder>(
        _ rule: Int32, for user: User, _ steps: inout Steps
    ) -> DecisionOutcome? {
        steps.record(.entered(rule: rule))
        guard project.tables.rules[Int(rule)].status == .running else {
            steps.record(.notRunning(rule: rule))
            return nil
        }
        guard admits(rule, user, &steps) else { return nil }
        let variation = bucket(rule, user, &steps)
        steps.record(.assigned(rule: rule, variation: variation))
        return variation < 0 ? nil : DecisionOutcome(stage: .holdout, rule: rule, variation: variation)
    }
}
