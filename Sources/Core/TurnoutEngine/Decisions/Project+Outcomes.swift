// Outcomes of many decisions, for callers that count or compare them and look at few.

extension Project {
    /// Decides several flags for a user, and returns only the outcomes.
    ///
    /// The outcomes are those of ``decide(_:for:profile:predictions:options:)-([String],_,_,_,_)`` without a prediction
    /// service: an assignment for one flag applies to the flags that follow. No ``Decision`` is made, so comparing the
    /// outcomes of millions of users allocates nothing and counts no references to the project.
    ///
    /// - Parameters:
    ///   - flags: The rows of different flags, decided in this order; nil for a flag that the project lacks.
    ///   - user: The user to decide for.
    ///   - profile: The user's earlier assignments.
    ///   - outcomes: Receives one outcome for each flag. Earlier contents are replaced.
    package func decideOutcomes(
        ofFlags flags: [Int?], for user: User, profile: UserProfile, into outcomes: inout [Decision.OutcomeID]
    ) {
        outcomes.removeAll(keepingCapacity: true)
        var inputs = DecisionInputs(profile, .unavailable, [])
        let evaluator = DecisionEvaluator(project: self)
        var steps = NoSteps()
        for flag in flags {
            guard let flag else {
                outcomes.append(.init(stage: .flagNotFound, flag: -1, rule: -1, variation: -1))
                continue
            }
            let outcome = evaluator.evaluate(flag: flag, for: user, with: inputs, &steps)
            outcomes.append(
                .init(stage: outcome.stage, flag: Int32(flag), rule: outcome.rule, variation: outcome.variation))
            guard tables.flagsShareExperiments, outcome.stage == .bucketed else { continue }
            let id = text(tables.rules[Int(outcome.rule)].id)
            inputs.profile.assignments[id] = text(tables.variations[Int(outcome.variation)].id)
        }
    }

    /// The decision with an outcome, without reasons.
    package func decision(_ outcome: Decision.OutcomeID, flagKey: String) -> Decision {
        Decision(
            flagKey: flagKey,
            outcome: DecisionOutcome(stage: outcome.stage, rule: outcome.rule, variation: outcome.variation),
            options: [], project: self, flagRow: outcome.flag)
    }
}
