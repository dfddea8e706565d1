extension Project {
    /// The first experiment of a flag that takes the user.
    func firstExperiment<Steps: StepRecorder>(
        of flag: Int, for user: User, with memory: borrowing Memory, _ steps: inout Steps
    ) -> Outcome? {
        if tables.flags[flag].experimentIDs.isEmpty { steps.record(.noExperiments) }
        for index in tables.flags[flag].experiments.range {
            let rule = tables.flagExperimentRows[index]
            steps.record(.entered(rule: rule))
            if let forced = forcedDecision(flag: flag, rule: rule, for: user, with: memory, &steps) { return forced }
            if let held = localHoldout(of: rule, for: user, &steps) { return held }
            if let found = experiment(rule, for: user, with: memory, &steps) { return found }
        }
        return nil
    }

    /// What an experiment has for the user, apart from holdouts and forced decisions; nil: nothing.
    func experiment<Steps: StepRecorder>(
        _ rule: Int32, for user: User, with memory: borrowing Memory, _ steps: inout Steps
    ) -> Outcome? {
        guard tables.rules[Int(rule)].status == .running else {
            steps.record(.notRunning(rule: rule))
            return nil
        }
        if !user.forcedVariations.isEmpty, let forced = forcedVariation(rule, user, &steps) { return forced }
        if !tables.rules[Int(rule)].whitelist.isEmpty, let listed = whitelisted(rule, user, &steps) { return listed }
        if !memory.profile.assignments.isEmpty, let found = remembered(rule, memory, &steps) { return found }
        guard admits(rule, user, &steps) else { return nil }
        if tables.rules[Int(rule)].isCMAB { return predicted(rule, user, memory, &steps) }
        let variation = groupAdmits(rule, user, &steps) ? bucket(rule, user, &steps) : -1
        steps.record(.assigned(rule: rule, variation: variation))
        return variation < 0 ? nil : Outcome(stage: .bucketed, rule: rule, variation: variation)
    }

    /// The variation that was set for the user in the experiment. Experiments are found by key here: of several with
    /// one key the last counts.
    private func forcedVariation<Steps: StepRecorder>(
        _ rule: Int32, _ user: User, _ steps: inout Steps
    ) -> Outcome? {
        let key = tables.symbols.name(of: tables.rules[Int(rule)].key)
        let namesake = Int32(tables.experimentsByKey[key] ?? Int(rule))
        guard let id = user.forcedVariations[text(tables.rules[Int(namesake)].id)] else { return nil }
        guard let variation = variation(id: id, of: namesake) else {
            steps.record(.invalidForcedVariation(rule: rule))
            return nil
        }
        steps.record(.forcedVariation(rule: rule, variation: variation))
        return Outcome(stage: .forcedVariation, rule: rule, variation: variation)
    }

    private func whitelisted<Steps: StepRecorder>(
        _ rule: Int32, _ user: User, _ steps: inout Steps
    ) -> Outcome? {
        let whitelist = tables.rules[Int(rule)].whitelist
        guard let id = tables.symbols.find(user.id),
            let row = whitelist.range.first(where: { tables.symbols.name(of: tables.whitelist[$0].userID) == id })
        else { return nil }
        let key = tables.whitelist[row].variationKey
        let name = tables.symbols.name(of: key)
        guard
            let variation = tables.rules[Int(rule)].variations.range.first(where: {
                tables.symbols.name(of: tables.variations[$0].key) == name
            })
        else {
            steps.record(.invalidWhitelist(rule: rule, variationKey: key))
            return nil
        }
        steps.record(.whitelisted(rule: rule, variation: Int32(variation)))
        return Outcome(stage: .whitelist, rule: rule, variation: Int32(variation))
    }

    /// The variation that the user's profile names, if the experiment still has it.
    private func remembered<Steps: StepRecorder>(
        _ rule: Int32, _ memory: borrowing Memory, _ steps: inout Steps
    ) -> Outcome? {
        guard let id = memory.profile.assignments[text(tables.rules[Int(rule)].id)],
            let variation = variation(id: id, of: rule)
        else { return nil }
        steps.record(.remembered(rule: rule, variation: variation))
        return Outcome(stage: .remembered, rule: rule, variation: variation)
    }

    private func variation(id: String, of rule: Int32) -> Int32? {
        guard let id = tables.symbols.find(id) else { return nil }
        let rows = tables.rules[Int(rule)].variations.range
        return rows.first { tables.symbols.name(of: tables.variations[$0].id) == id }.map { Int32($0) }
    }

    // MARK: Contextual bandits

    private func predicted<Steps: StepRecorder>(
        _ rule: Int32, _ user: User, _ memory: borrowing Memory, _ steps: inout Steps
    ) -> Outcome? {
        guard case .answers(let answers) = memory.predictions else {
            steps.record(.predictionUnavailable(rule: rule))
            steps.record(.assigned(rule: rule, variation: -1))
            return nil
        }
        guard groupAdmits(rule, user, &steps), gateAdmits(rule, user, &steps) else {
            steps.record(.outsidePredictionTraffic(rule: rule))
            steps.record(.assigned(rule: rule, variation: -1))
            return nil
        }
        switch answers[text(tables.rules[Int(rule)].id)] {
        case nil: return Outcome(stage: .needsPrediction, rule: rule)
        case .failed:
            steps.record(.predictionFailed(rule: rule))
            steps.record(.assigned(rule: rule, variation: -1))
            return Outcome(stage: .predictionFailed, rule: rule)
        case .variation(let id, let uuid):
            steps.record(.predicted(rule: rule, variationID: id, uuid: uuid))
            let variation = variation(id: id, of: rule) ?? -1
            steps.record(.assigned(rule: rule, variation: variation))
            return variation < 0 ? nil : Outcome(stage: .predicted, rule: rule, variation: variation)
        }
    }

    /// Whether the user belongs to the share of traffic that the bandit may have.
    private func gateAdmits<Steps: StepRecorder>(_ rule: Int32, _ user: User, _ steps: inout Steps) -> Bool {
        let bucket = user.bucket(entityID: text(tables.rules[Int(rule)].id))
        steps.record(.predictionGate(rule: rule, bucket: Int32(bucket)))
        return bucket < Int(tables.rules[Int(rule)].cmabTraffic)
    }

    /// What to ask a prediction service.
    func predictionRequest(rule: Int32, for user: User) -> PredictionRequest {
        let row = tables.rules[Int(rule)]
        var seen: Set<Symbol> = []
        let attributes = row.cmabAttributeIDs.range.compactMap { index -> (id: String, value: AttributeValue)? in
            guard seen.insert(tables.symbols.name(of: tables.symbolLists[index])).inserted,
                let attribute = tables.attributesByID[tables.symbols.name(of: tables.symbolLists[index])],
                let value = user.attributes[text(tables.attributes[attribute].key)]
            else { return nil }
            return (text(tables.attributes[attribute].id), value)
        }
        return PredictionRequest(userID: user.id, ruleID: text(row.id), attributes: attributes)
    }
}
