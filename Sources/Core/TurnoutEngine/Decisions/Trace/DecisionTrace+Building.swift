extension Project {
    /// The stages of a decision that was made with reasons.
    func stages(of decision: Decision) -> [DecisionTrace.Stage] {
        guard let record = decision.record else { return [] }
        let flag = Int(decision.flagRow)
        var stages: [DecisionTrace.Stage] = []
        var open = OpenRules()
        for step in record.steps {
            if case .entered(let row) = step {
                // A holdout inside another kind of rule guards that rule.
                let isNested = tables.rules[Int(row)].kind == .holdout && open.outerKind != .holdout
                if !isNested { stages += open.closeAll() }
                open.enter(ruleTrace(row, flag: flag), row)
            } else if let stage = stage(for: step, flag: flag) {
                stages += open.closeAll()
                stages.append(stage)
            } else if let check = check(for: step, user: record.user) {
                open.add(check, row: step.rule)
            }
        }
        if decision.stage == .needsPrediction { open.add(.needsPrediction, row: decision.ruleRow) }
        return stages + open.closeAll()
    }

    private func ruleTrace(_ row: Int32, flag: Int) -> RuleTrace {
        let rule = Rule(project: self, index: Int(row))
        let isLast = rule.kind == .delivery && position(of: row, flag: flag) == Self.everyoneElse
        return RuleTrace(
            kind: rule.kind, key: rule.key, id: rule.id, status: rule.status, isForEveryoneElse: isLast)
    }

    private func stage(for step: Step, flag: Int) -> DecisionTrace.Stage? {
        switch step {
        case .forcedFlag(let variation): .forcedDecision(variation: variationKey(variation))
        case .invalidForcedFlag: .forcedDecision(variation: nil)
        case .noExperiments: .noExperiments
        case .noRollout: .noRollout
        case .unknownRollout: .unknownRollout(id: text(tables.flags[flag].rolloutID))
        case .emptyRollout: .emptyRollout(id: text(tables.flags[flag].rolloutID))
        default: nil
        }
    }

    private func check(for step: Step, user: User) -> RuleTrace.Check? {
        switch step {
        case .forcedRule(_, let variation): .forcedDecision(variation: variationKey(variation))
        case .invalidForcedRule: .forcedDecision(variation: nil)
        case .notRunning: .notRunning
        case .forcedVariation(_, let variation): .forcedVariation(variation: variationKey(variation))
        case .invalidForcedVariation: .forcedVariation(variation: nil)
        case .whitelisted(_, let variation): .whitelist(variation: variationKey(variation), exists: true)
        case .invalidWhitelist(_, let key): .whitelist(variation: text(key), exists: false)
        case .remembered(_, let variation): .remembered(variation: variationKey(variation))
        case .audience(let rule, _): .audience(audienceTrace(tables.rules[Int(rule)].condition, for: user))
        case .groupBucket(let rule, let bucket, let range): groupCheck(rule, Int(bucket), range, user)
        case .bucket(let rule, let bucket, let range):
            .bucket(
                bucketTrace(
                    user, salt: ruleID(rule), Int(bucket), range, in: tables.rules[Int(rule)].traffic
                ) {
                    self.tables.variations[$0].key
                })
        case .predictionGate(let rule, let bucket):
            .predictionGate(bucket: Int(bucket), limit: Int(tables.rules[Int(rule)].cmabTraffic))
        case .predictionUnavailable: .predictionUnavailable
        case .predictionFailed: .predictionFailed
        case .predicted(_, let id, let uuid): .predicted(variationID: id, uuid: uuid)
        default: nil
        }
    }

    private func ruleID(_ rule: Int32) -> String { text(tables.rules[Int(rule)].id) }

    private func groupCheck(_ rule: Int32, _ bucket: Int, _ range: Int32, _ user: User) -> RuleTrace.Check {
        let group = tables.groups[Int(tables.rules[Int(rule)].group)]
        let trace = bucketTrace(user, salt: text(group.id), bucket, range, in: group.traffic) {
            self.tables.rules[$0].key
        }
        let chosen = range < 0 ? -1 : tables.traffic[Int(range)].entity
        return .group(trace, isAdmitted: chosen >= 0 && isSame(chosen, rule))
    }

    private func bucketTrace(
        _ user: User, salt: String, _ bucket: Int, _ range: Int32, in rows: Rows, key: (Int) -> Symbol
    ) -> BucketTrace {
        let index = range - rows.first
        return BucketTrace(
            bucketingID: user.bucketingID, salt: salt, bucket: bucket,
            range: range < 0 ? nil : trafficRanges(rows, key: key)[Int(index)])
    }
}

/// The rule that a walk is at, and the local holdout inside it.
private struct OpenRules {
    private var rules: [(row: Int32, trace: RuleTrace)] = []

    /// The kind of the rule that is not inside another; a holdout if there is none.
    var outerKind: Rule.Kind { rules.first?.trace.kind ?? .holdout }

    mutating func enter(_ trace: RuleTrace, _ row: Int32) {
        closeInner()
        rules.append((row, trace))
    }

    /// Adds a check to the rule that it is about.
    mutating func add(_ check: RuleTrace.Check, row: Int32?) {
        if rules.count > 1, rules.last?.row != row { closeInner() }
        guard !rules.isEmpty else { return }
        rules[rules.count - 1].trace.checks.append(check)
    }

    /// Makes a local holdout a check of the rule that it guards.
    private mutating func closeInner() {
        guard rules.count > 1, let inner = rules.popLast() else { return }
        rules[0].trace.checks.append(.localHoldout(inner.trace))
    }

    mutating func closeAll() -> [DecisionTrace.Stage] {
        closeInner()
        defer { rules = [] }
        return rules.map { .rule($0.trace) }
    }
}
