// The walk: what is tried for one flag, in which order. Each line of `walk` is one stage; the first that answers wins.

extension Project {
    /// Decides one flag.
    func walk<Steps: StepRecorder>(
        flag: Int, for user: User, with memory: borrowing Memory, _ steps: inout Steps
    ) -> Outcome {
        if let forced = forcedDecision(flag: flag, for: user, with: memory, &steps) { return forced }
        if let held = firstHoldout(in: tables.globalHoldouts, for: user, &steps) { return held }
        if let found = firstExperiment(of: flag, for: user, with: memory, &steps) { return found }
        return firstDelivery(of: flag, for: user, with: memory, &steps)
    }

    // MARK: Forced decisions

    /// The user's forced decision for the flag as a whole.
    private func forcedDecision<Steps: StepRecorder>(
        flag: Int, for user: User, with memory: borrowing Memory, _ steps: inout Steps
    ) -> Outcome? {
        guard memory.considersForcedDecisions, !user.forcedDecisions.isEmpty,
            let key = user.forcedDecisions[DecisionContext(flag: text(tables.flags[flag].key))]
        else { return nil }
        guard let variation = variation(key, ofFlag: flag) else {
            steps.record(.invalidForcedFlag)
            return nil
        }
        steps.record(.forcedFlag(variation: variation))
        return Outcome(stage: .forcedDecision, variation: variation)
    }

    /// The user's forced decision for one rule of the flag. It may name any variation of the flag.
    @inline(__always)
    func forcedDecision<Steps: StepRecorder>(
        flag: Int, rule: Int32, for user: User, with memory: borrowing Memory, _ steps: inout Steps
    ) -> Outcome? {
        guard !user.forcedDecisions.isEmpty, memory.considersForcedDecisions else { return nil }
        return ruleDecision(flag: flag, rule: rule, for: user, &steps)
    }

    private func ruleDecision<Steps: StepRecorder>(
        flag: Int, rule: Int32, for user: User, _ steps: inout Steps
    ) -> Outcome? {
        let context = DecisionContext(flag: text(tables.flags[flag].key), rule: text(tables.rules[Int(rule)].key))
        guard let key = user.forcedDecisions[context] else { return nil }
        guard let variation = variation(key, ofFlag: flag) else {
            steps.record(.invalidForcedRule(rule: rule))
            return nil
        }
        steps.record(.forcedRule(rule: rule, variation: variation))
        return Outcome(stage: .forcedRule, rule: rule, variation: variation)
    }

    /// The first variation with a key among those of the flag's experiments and delivery rules. Of variations with one
    /// id only the first counts.
    private func variation(_ key: String, ofFlag flag: Int) -> Int32? {
        var ids: Set<Symbol> = []
        var found: Int32?
        _ = tables.firstRule(of: tables.flags[flag]) { rule in
            for row in tables.rules[rule].variations.range where found == nil {
                let variation = tables.variations[row]
                let isFirst = ids.insert(tables.symbols.name(of: variation.id)).inserted
                if isFirst, text(variation.key) == key { found = Int32(row) }
            }
            return found != nil
        }
        return found
    }

    // MARK: Holdouts

    /// The first of the holdouts that keeps the user out.
    private func firstHoldout<Steps: StepRecorder>(
        in rows: Rows, for user: User, _ steps: inout Steps
    ) -> Outcome? {
        for row in rows.range {
            if let held = holdout(Int32(row), for: user, &steps) { return held }
        }
        return nil
    }

    /// The first of the holdouts that guard a rule and keep the user out.
    @inline(__always)
    func localHoldout<Steps: StepRecorder>(
        of rule: Int32, for user: User, _ steps: inout Steps
    ) -> Outcome? {
        guard !tables.rules[Int(rule)].localHoldouts.isEmpty else { return nil }
        return firstLocalHoldout(of: rule, for: user, &steps)
    }

    private func firstLocalHoldout<Steps: StepRecorder>(
        of rule: Int32, for user: User, _ steps: inout Steps
    ) -> Outcome? {
        for index in tables.rules[Int(rule)].localHoldouts.range {
            if let held = holdout(tables.localHoldoutRows[index], for: user, &steps) { return held }
        }
        return nil
    }

    private func holdout<Steps: StepRecorder>(
        _ rule: Int32, for user: User, _ steps: inout Steps
    ) -> Outcome? {
        steps.record(.entered(rule: rule))
        guard tables.rules[Int(rule)].status == .running else {
            steps.record(.notRunning(rule: rule))
            return nil
        }
        guard admits(rule, user, &steps) else { return nil }
        let variation = bucket(rule, user, &steps)
        steps.record(.assigned(rule: rule, variation: variation))
        return variation < 0 ? nil : Outcome(stage: .holdout, rule: rule, variation: variation)
    }

    // MARK: What all rules have in common

    /// Whether the user belongs to the audience of a rule. Unknown is no.
    @inline(__always)
    func admits<Steps: StepRecorder>(_ rule: Int32, _ user: User, _ steps: inout Steps) -> Bool {
        let condition = tables.rules[Int(rule)].condition
        let truth = condition < 0 ? Truth.yes : truth(of: Int(condition), for: user)
        steps.record(.audience(rule: rule, truth: truth))
        return truth == .yes
    }

    /// The variation that the user's bucket falls into, or -1.
    @inline(__always)
    func bucket<Steps: StepRecorder>(_ rule: Int32, _ user: User, _ steps: inout Steps) -> Int32 {
        let bucket = user.bucket(entityID: text(tables.rules[Int(rule)].id))
        let range = trafficRow(of: bucket, in: tables.rules[Int(rule)].traffic)
        steps.record(.bucket(rule: rule, bucket: Int32(bucket), traffic: range))
        return range < 0 ? -1 : tables.traffic[Int(range)].entity
    }

    /// Whether the user may take part in a rule, as far as its mutual-exclusion group is concerned.
    @inline(__always)
    func groupAdmits<Steps: StepRecorder>(_ rule: Int32, _ user: User, _ steps: inout Steps) -> Bool {
        let group = tables.rules[Int(rule)].group
        guard group >= 0, tables.groups[Int(group)].policy == .random else { return true }
        let bucket = user.bucket(entityID: text(tables.groups[Int(group)].id))
        let range = trafficRow(of: bucket, in: tables.groups[Int(group)].traffic)
        steps.record(.groupBucket(rule: rule, bucket: Int32(bucket), traffic: range))
        guard range >= 0 else { return false }
        let chosen = tables.traffic[Int(range)].entity
        return chosen >= 0 && isSame(chosen, rule)
    }

    /// Whether two rows are the same rule, going by their ids.
    func isSame(_ left: Int32, _ right: Int32) -> Bool {
        tables.symbols.name(of: tables.rules[Int(left)].id) == tables.symbols.name(of: tables.rules[Int(right)].id)
    }

    /// The first range that ends above the bucket, or -1. Ranges are neither sorted nor checked, as in the reference.
    @inline(__always)
    private func trafficRow(of bucket: Int, in rows: Rows) -> Int32 {
        for row in rows.range where bucket < Int(tables.traffic[row].endOfRange) { return Int32(row) }
        return -1
    }
}
