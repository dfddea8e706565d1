extension DecisionEvaluator {
    /// The first experiment of a flag that applies to the user.
    func firstExperiment<Steps: StepRecorder>(
        of flag: Int, for user: User, with inputs: borrowing DecisionInputs, _ steps: inout Steps
    ) -> DecisionOutcome? {
        if project.tables.flags[flag].experimentIDs.isEmpty { steps.record(.noExperiments) }
        for index in project.tables.flags[flag].experiments.range {
            let rule = project.tables.flagExperimentRows[index]
            steps.record(.entered(rule: rule))
            if let forced = forcedDecision(flag: flag, rule: rule, for: user, with: inputs, &steps) { return forced }
            if let held = localHoldout(of: rule, for: user, &steps) { return held }
            if let found = experiment(rule, for: user, with: inputs, &steps) { return found }
        }
        return nil
    }

    /// The outcome of an experiment for the user, without holdouts and forced decisions; nil if there is none.
    func experiment<Steps: StepRecorder>(
        _ rule: Int32, for user: User, with inputs: borrowing DecisionInputs, _ steps: inout Steps
    ) -> DecisionOutcome? {
        guard project.tables.rules[Int(rule)].status == .running else {
            steps.record(.notRunning(rule: rule))
            return nil
        }
        if !user.forcedVariations.isEmpty, let forced = forcedVariation(rule, user, &steps) { return forced }
        if !project.tables.rules[Int(rule)].whitelist.isEmpty, let listed = whitelisted(rule, user, &steps) {
            return listed
        }
        if !inputs.profile.assignments.isEmpty, let found = storedAssignment(rule, inputs, &steps) { return found }
        guard admits(rule, user, &steps) else { return nil }
        if project.tables.rules[Int(rule)].isCMAB { return predicted(rule, user, inputs, &steps) }
        let variation = groupAdmits(rule, user, &steps) ? bucket(rule, user, &steps) : -1
        steps.record(.assigned(rule: rule, variation: variation))
        return variation < 0 ? nil : DecisionOutcome(stage: .bucketed, rule: rule, variation: variation)
    }

    /// The user's forced variation in the experiment. Found by the experiment's id, because several may have one key.
    private func forcedVariation<Steps: StepRecorder>(
        _ rule: Int32, _ user: User, _ steps: inout Steps
    ) -> DecisionOutcome? {
        guard let id = user.forcedVariations[project.text(project.tables.rules[Int(rule)].id)] else { return nil }
        guard let variation = variation(id: id, of: rule) else {
            steps.record(.invalidForcedVariation(rule: rule))
            return nil
        }
        steps.record(.forcedVariation(rule: rule, variation: variation))
        return DecisionOutcome(stage: .forcedVariation, rule: rule, variation: variation)
    }

    private func whitelisted<Steps: StepRecorder>(
        _ rule: Int32, _ user: User, _ steps: inout Steps
    ) -> DecisionOutcome? {
        let whitelist = project.tables.rules[Int(rule)].whitelist
        guard let id = project.tables.symbols.find(user.id),
            let row = whitelist.range.first(where: { project.tables.whitelist[$0].userID == id })
        else { return nil }
        let key = project.tables.whitelist[row].variationKey
        let variations = project.tables.rules[Int(rule)].variations.range
        guard let variation = variations.first(where: { project.tables.variations[$0].key == key }) else {
            steps.record(.invalidWhitelist(rule: rule, variationKey: key))
            return nil
        }
        steps.record(.whitelisted(rule: rule, variation: Int32(variation)))
        return DecisionOutcome(stage: .whitelist, rule: rule, variation: Int32(variation))
    }

    /// The variation in the user's profile, if the experiment still has it.
    private func storedAssignment<Steps: StepRecorder>(
        _ rule: Int32, _ inputs: borrowing DecisionInputs, _ steps: inout Steps
    ) -> DecisionOutcome? {
        guard let id = inputs.profile.assignments[project.text(project.tables.rules[Int(rule)].id)],
            let variation = variation(id: id, of: rule)
        else { return nil }
        steps.record(.storedAssignment(rule: rule, variation: variation))
        return DecisionOutcome(stage: .storedAssignment, rule: rule, variation: variation)
    }
}
