/// Evaluates the rules of a project: the stages of a decision, each in the file of its name.
///
/// The user is passed from stage to stage and not stored: storing it counts references to its five parts, which adds a
/// fifth to the instructions of a decision.
struct DecisionEvaluator {
    let project: Project

    /// Evaluates one flag. Each line is one stage; the first that returns an outcome wins.
    func evaluate<Steps: StepRecorder>(
        flag: Int, for user: User, with inputs: borrowing DecisionInputs, _ steps: inout Steps
    ) -> DecisionOutcome {
        if let forced = forcedDecision(flag: flag, for: user, with: inputs, &steps) { return forced }
        if let held = globalHoldout(for: user, &steps) { return held }
        if let found = firstExperiment(of: flag, for: user, with: inputs, &steps) { return found }
        return firstRolloutRule(of: flag, for: user, with: inputs, &steps)
    }

    // MARK: Shared evaluation

    /// Whether the user is in the audience of a rule. Unknown counts as no.
    @inline(__always)
    func admits<Steps: StepRecorder>(_ rule: Int32, _ user: User, _ steps: inout Steps) -> Bool {
        let condition = project.tables.rules[Int(rule)].condition
        let truth = condition < 0 ? Truth.yes : AudienceEvaluator(project: project).truth(of: Int(condition), for: user)
        steps.record(.audience(rule: rule, truth: truth))
        return truth == .yes
    }

    /// The variation for the user's bucket, or -1.
    @inline(__always)
    func bucket<Steps: StepRecorder>(_ rule: Int32, _ user: User, _ steps: inout Steps) -> Int32 {
        let bucket = user.bucket(entityID: project.text(project.tables.rules[Int(rule)].id))
        let range = trafficRow(of: bucket, in: project.tables.rules[Int(rule)].traffic)
        steps.record(.bucket(rule: rule, bucket: Int32(bucket), traffic: range))
        return range < 0 ? -1 : project.tables.traffic[Int(range)].entity
    }

    /// Whether the rule's mutual-exclusion group, if any, admits the user.
    @inline(__always)
    func groupAdmits<Steps: StepRecorder>(_ rule: Int32, _ user: User, _ steps: inout Steps) -> Bool {
        let group = project.tables.rules[Int(rule)].group
        guard group >= 0, project.tables.groups[Int(group)].policy == .random else { return true }
        let bucket = user.bucket(entityID: project.text(project.tables.groups[Int(group)].id))
        let range = trafficRow(of: bucket, in: project.tables.groups[Int(group)].traffic)
        steps.record(.groupBucket(rule: rule, bucket: Int32(bucket), traffic: range))
        guard range >= 0 else { return false }
        let chosen = project.tables.traffic[Int(range)].entity
        return chosen >= 0 && project.isSameRule(chosen, rule)
    }

    /// The first range that ends above the bucket, or -1. Ranges are neither sorted nor validated, as in the reference.
    @inline(__always)
    private func trafficRow(of bucket: Int, in rows: Rows) -> Int32 {
        for row in rows.range where bucket < Int(project.tables.traffic[row].endOfRange) { return Int32(row) }
        return -1
    }

    /// The variation of a rule with an id.
    func variation(id: String, of rule: Int32) -> Int32? {
        guard let id = project.tables.symbols.find(id) else { return nil }
        let rows = project.tables.rules[Int(rule)].variations.range
        return rows.first { project.tables.variations[$0].id == id }.map { Int32($0) }
    }
}

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
