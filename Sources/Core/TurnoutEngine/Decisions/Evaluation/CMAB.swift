// Contextual multi-armed bandits: experiments in which a prediction service chooses the variation.

extension DecisionEvaluator {
    /// The outcome of a contextual bandit whose audience the user is in; nil if the evaluation continues.
    func predicted<Steps: StepRecorder>(
        _ rule: Int32, _ user: User, _ inputs: borrowing DecisionInputs, _ steps: inout Steps
    ) -> DecisionOutcome? {
        guard case .received(let predictions) = inputs.predictions else {
            steps.record(.predictionUnavailable(rule: rule))
            steps.record(.assigned(rule: rule, variation: -1))
            return nil
        }
        guard groupAdmits(rule, user, &steps), isInCMABTraffic(rule, user, &steps) else {
            steps.record(.outsidePredictionTraffic(rule: rule))
            steps.record(.assigned(rule: rule, variation: -1))
            return nil
        }
        switch predictions[project.text(project.tables.rules[Int(rule)].id)] {
        case nil: return DecisionOutcome(stage: .needsPrediction, rule: rule)
        case .failed:
            steps.record(.predictionFailed(rule: rule))
            steps.record(.assigned(rule: rule, variation: -1))
            return DecisionOutcome(stage: .predictionFailed, rule: rule)
        case .variation(let id, let uuid):
            steps.record(.predicted(rule: rule, variationID: id, uuid: uuid))
            let variation = variation(id: id, of: rule) ?? -1
            steps.record(.assigned(rule: rule, variation: variation))
            return variation < 0 ? nil : DecisionOutcome(stage: .predicted, rule: rule, variation: variation)
        }
    }

    /// Whether the user is in the share of traffic for the contextual bandit.
    private func isInCMABTraffic<Steps: StepRecorder>(_ rule: Int32, _ user: User, _ steps: inout Steps) -> Bool {
        let bucket = user.bucket(entityID: project.text(project.tables.rules[Int(rule)].id))
        steps.record(.predictionGate(rule: rule, bucket: Int32(bucket)))
        return bucket < Int(project.tables.rules[Int(rule)].cmabTraffic)
    }
}

extension PredictionRequest {
    /// The request for a contextual bandit's prediction.
    init(for rule: Rule, user: User) {
        let tables = rule.project.tables
        var seen: Set<Symbol> = []
        let attributes = rule.row.cmabAttributeIDs.range.compactMap { index -> (id: String, value: AttributeValue)? in
            guard seen.insert(tables.symbolLists[index]).inserted,
                let attribute = tables.attributesByID[tables.symbolLists[index]],
                let value = user.attributes[tables.symbols.text(tables.attributes[attribute].key)]
            else { return nil }
            return (tables.symbols.text(tables.attributes[attribute].id), value)
        }
        self.init(userID: user.id, ruleID: rule.id, attributes: attributes)
    }
}
