extension DecisionEvaluator {
    /// The decision for the flag at a row.
    @inline(__always)
    func decide(
        flag: Int, _ key: String, for user: User, with inputs: borrowing DecisionInputs, _ options: DecideOptions
    ) -> Decision {
        guard options.contains(.includeReasons) else {
            var steps = NoSteps()
            let outcome = evaluate(flag: flag, for: user, with: inputs, &steps)
            return decision(flag: flag, key, user, outcome, inputs, options, record: nil)
        }
        var steps = StepList()
        let outcome = evaluate(flag: flag, for: user, with: inputs, &steps)
        let record = DecisionRecord(user: user, steps: steps.steps)
        return decision(flag: flag, key, user, outcome, inputs, options, record: record)
    }

    @inline(__always)
    private func decision(
        flag: Int, _ key: String, _ user: User, _ outcome: DecisionOutcome, _ inputs: borrowing DecisionInputs,
        _ options: DecideOptions, record: DecisionRecord?
    ) -> Decision {
        var uuid: String?
        if outcome.stage == .predicted, case .received(let predictions) = inputs.predictions,
            case .variation(_, let predictionUUID)? = predictions[
                project.text(project.tables.rules[Int(outcome.rule)].id)]
        {
            uuid = predictionUUID
        }
        return Decision(
            flagKey: key, outcome: outcome, options: options, project: project.replica(user.stripe),
            flagRow: Int32(flag),
            predictionUUID: uuid, record: record, lacksProfile: inputs.profile.isUnavailable)
    }
}
