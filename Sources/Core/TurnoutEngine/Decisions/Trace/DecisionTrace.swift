/// The steps of a decision, as values.
///
/// ```swift
/// let trace = project.explain("checkout", for: ada)
/// print(trace)            // a tree to read
/// print(trace.json)       // the same for programs
/// ```
public struct DecisionTrace: Sendable {
    /// The decision.
    public let decision: Decision
    /// The user.
    public let user: User
    /// The stages, in evaluation order.
    public let stages: [Stage]

    /// One stage of the evaluation.
    public enum Stage: Sendable, Equatable {
        /// The user has a forced decision for the flag; nil if the flag does not have the variation.
        case forcedDecision(variation: String?)
        /// An experiment, rollout rule or holdout was evaluated.
        case rule(RuleTrace)
        /// The flag has no experiments.
        case noExperiments
        /// The flag has no rollout.
        case noRollout
        /// The flag refers to a rollout that is not in the datafile.
        case unknownRollout(id: String)
        /// The flag's rollout has no rules.
        case emptyRollout(id: String)
    }
}

/// The evaluation of one experiment, rollout rule or holdout.
public struct RuleTrace: Sendable, Equatable {
    /// The kind of rule.
    public let kind: Rule.Kind
    /// How an experiment distributes its users; ``Rule/ExperimentType/unspecified`` for other rules.
    public let type: Rule.ExperimentType
    /// The rule's key.
    public let key: String
    /// The rule's id, which is hashed.
    public let id: String
    /// The rule's status. It is ignored for rollout rules.
    public let status: Rule.Status
    /// Whether this is the rollout rule for everyone else.
    public let isForEveryoneElse: Bool
    /// The checks, in order.
    public internal(set) var checks: [Check] = []

    /// One check of a rule.
    public indirect enum Check: Sendable, Equatable {
        /// A holdout that applies only to this rule.
        case localHoldout(RuleTrace)
        /// The user has a forced decision for the rule; nil if the flag does not have the variation.
        case forcedDecision(variation: String?)
        /// The rule is not running and was skipped.
        case notRunning
        /// The user has a forced variation; nil if the experiment does not have it.
        case forcedVariation(variation: String?)
        /// The user is on the whitelist; `exists` is false if the experiment does not have the variation.
        case whitelist(variation: String, exists: Bool)
        /// The user's profile has an assignment to the variation.
        case storedAssignment(variation: String)
        /// The rule's audience.
        case audience(AudienceTrace)
        /// The bucket that chose among the experiments of a mutual-exclusion group.
        case group(BucketTrace, isAdmitted: Bool)
        /// The bucket that chose among the rule's variations.
        case bucket(BucketTrace)
        /// The bucket that decided whether the user takes part in a contextual bandit.
        case predictionGate(bucket: Int, limit: Int)
        /// There was no prediction service.
        case predictionUnavailable
        /// The prediction failed.
        case predictionFailed
        /// A prediction service chose a variation.
        case predicted(variationID: String, uuid: String)
        /// A prediction is needed before the evaluation can continue.
        case needsPrediction
    }
}

/// How a bucket was computed, and its result.
public struct BucketTrace: Sendable, Equatable {
    /// The string that represents the user in the hash.
    public let bucketingID: String
    /// The salt: the id of the rule or group, which follows the bucketing id in the hashed text.
    public let salt: String
    /// The bucket, 0 to 9,999.
    public let bucket: Int
    /// The range that the bucket is in, or nil.
    public let range: TrafficRange?
}

extension DecisionTrace {
    /// The stages of a decision that was made with reasons.
    static func stages(of decision: Decision) -> [DecisionTrace.Stage] {
        guard let record = decision.record, let project = decision.project else { return [] }
        let explainer = DecisionExplainer(project: project, flag: Int(decision.flagRow), user: record.user)
        return explainer.stages(of: decision, record)
    }
}

extension DecisionExplainer {
    fileprivate func stages(of decision: Decision, _ record: DecisionRecord) -> [DecisionTrace.Stage] {
        var stages: [DecisionTrace.Stage] = []
        var open = OpenRules()
        for step in record.steps {
            if case .entered(let row) = step {
                // A holdout inside a rule of another kind is local to that rule.
                let isNested = project.tables.rules[Int(row)].kind == .holdout && open.outerKind != .holdout
                if !isNested { stages += open.closeAll() }
                open.enter(ruleTrace(row), row)
            } else if let stage = stage(for: step) {
                stages += open.closeAll()
                stages.append(stage)
            } else if let check = check(for: step) {
                open.add(check, row: step.rule)
            }
        }
        if decision.stage == .needsPrediction { open.add(.needsPrediction, row: decision.ruleRow) }
        return stages + open.closeAll()
    }

    private func ruleTrace(_ row: Int32) -> RuleTrace {
        let rule = Rule(project: project, index: Int(row))
        let isLast = rule.kind == .rollout && position(of: row) == Self.everyoneElse
        return RuleTrace(
            kind: rule.kind, type: rule.type, key: rule.key, id: rule.id, status: rule.status,
            isForEveryoneElse: isLast)
    }

    private func stage(for step: DecisionStep) -> DecisionTrace.Stage? {
        switch step {
        case .forcedFlag(let variation): .forcedDecision(variation: variationKey(variation))
        case .invalidForcedFlag: .forcedDecision(variation: nil)
        case .noExperiments: .noExperiments
        case .noRollout: .noRollout
        case .unknownRollout: .unknownRollout(id: project.text(project.tables.flags[flag].rolloutID))
        case .emptyRollout: .emptyRollout(id: project.text(project.tables.flags[flag].rolloutID))
        default: nil
        }
    }

    private func check(for step: DecisionStep) -> RuleTrace.Check? {
        switch step {
        case .forcedRule(_, let variation): .forcedDecision(variation: variationKey(variation))
        case .invalidForcedRule: .forcedDecision(variation: nil)
        case .notRunning: .notRunning
        case .forcedVariation(_, let variation): .forcedVariation(variation: variationKey(variation))
        case .invalidForcedVariation: .forcedVariation(variation: nil)
        case .whitelisted(_, let variation): .whitelist(variation: variationKey(variation), exists: true)
        case .invalidWhitelist(_, let key): .whitelist(variation: project.text(key), exists: false)
        case .storedAssignment(_, let variation): .storedAssignment(variation: variationKey(variation))
        case .audience(let rule, _): .audience(audiences.trace(project.tables.rules[Int(rule)].condition))
        case .groupBucket(let rule, let bucket, let range): groupCheck(rule, Int(bucket), range)
        case .bucket(let rule, let bucket, let range):
            .bucket(
                bucketTrace(
                    salt: ruleID(rule), Int(bucket), range, in: project.tables.rules[Int(rule)].traffic
                ) {
                    project.tables.variations[$0].key
                })
        case .predictionGate(let rule, let bucket):
            .predictionGate(bucket: Int(bucket), limit: Int(project.tables.rules[Int(rule)].cmabTraffic))
        case .predictionUnavailable: .predictionUnavailable
        case .predictionFailed: .predictionFailed
        case .predicted(_, let id, let uuid): .predicted(variationID: id, uuid: uuid)
        default: nil
        }
    }

    private var audiences: AudienceExplainer { AudienceExplainer(project: project, user: user) }

    private func ruleID(_ rule: Int32) -> String { project.text(project.tables.rules[Int(rule)].id) }

    private func groupCheck(_ rule: Int32, _ bucket: Int, _ range: Int32) -> RuleTrace.Check {
        let group = project.tables.groups[Int(project.tables.rules[Int(rule)].group)]
        let trace = bucketTrace(salt: project.text(group.id), bucket, range, in: group.traffic) {
            project.tables.rules[$0].key
        }
        let chosen = range < 0 ? -1 : project.tables.traffic[Int(range)].entity
        return .group(trace, isAdmitted: chosen >= 0 && project.isSameRule(chosen, rule))
    }

    private func bucketTrace(
        salt: String, _ bucket: Int, _ range: Int32, in rows: Rows, key: (Int) -> Symbol
    ) -> BucketTrace {
        let index = range - rows.first
        return BucketTrace(
            bucketingID: user.bucketingID, salt: salt, bucket: bucket,
            range: range < 0 ? nil : project.trafficRanges(rows, key: key)[Int(index)])
    }
}

/// The rule being evaluated, and the local holdout inside it.
private struct OpenRules {
    private var rules: [(row: Int32, trace: RuleTrace)] = []

    /// The kind of the outer rule; a holdout if there is none.
    var outerKind: Rule.Kind { rules.first?.trace.kind ?? .holdout }

    mutating func enter(_ trace: RuleTrace, _ row: Int32) {
        closeInner()
        rules.append((row, trace))
    }

    /// Adds a check to its rule.
    mutating func add(_ check: RuleTrace.Check, row: Int32?) {
        if rules.count > 1, rules.last?.row != row { closeInner() }
        guard !rules.isEmpty else { return }
        rules[rules.count - 1].trace.checks.append(check)
    }

    /// Turns a local holdout into a check of its rule.
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
