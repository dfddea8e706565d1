/// Evaluates the rules of a project: the stages of a decision, in their order.
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
        Decision(
            flagKey: key, outcome: outcome, options: options, project: project.replica(user.stripe),
            flagRow: Int32(flag), predictionUUID: inputs.predictionUUID(of: outcome, in: project), record: record,
            lacksProfile: inputs.profile.isUnavailable)
    }

    // MARK: Forced decisions

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

    // MARK: Holdouts

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

    // MARK: Experiments

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

    // MARK: Contextual bandits: a prediction service chooses the variation

    /// The outcome of a contextual bandit whose audience the user is in; nil if the evaluation continues.
    private func predicted<Steps: StepRecorder>(
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

    // MARK: Rollouts

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
