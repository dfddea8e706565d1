/// The reason for a decision, in a few words.
package struct DecisionSummary {
    private let trace: DecisionTrace
    /// The environment of the datafile, if it says.
    private let environment: String?

    package init(_ trace: DecisionTrace, in environment: String?) {
        (self.trace, self.environment) = (trace, environment)
    }

    package var text: String {
        switch trace.decision.stage {
        case .forcedDecision: "forced for the flag"
        case .forcedRule: "forced for the rule"
        case .forcedVariation: "forced variation"
        case .whitelist: "on the allow list"
        case .storedAssignment: "stored assignment"
        case .predicted: "predicted"
        case .holdout: "held out: \(bucket ?? "")"
        case .bucketed: bucket ?? ""
        case .rollout:
            isTurnedOff
                ? "turned off" + (environment.map { " in \($0)" } ?? "")
                : isForEveryoneElse ? "everyone else: \(bucket ?? "")" : bucket ?? ""
        case .noRule: obstacles
        case .needsPrediction: "needs a prediction"
        case .predictionFailed: "no prediction"
        case .flagNotFound: "no such flag"
        case .notReady: "no datafile"
        }
    }

    private var rules: [RuleTrace] {
        trace.stages.compactMap { if case .rule(let rule) = $0 { rule } else { nil } }
    }

    /// Whether the flag has no other rule than the generated one, which gives everyone `off`.
    private var isTurnedOff: Bool {
        guard let flag = trace.decision.flag, flag.experiments.isEmpty, flag.rolloutRules.count == 1 else {
            return false
        }
        return flag.rolloutRules[0].hasGeneratedKey && !trace.decision.isEnabled
    }

    private var isForEveryoneElse: Bool { rules.last?.isForEveryoneElse ?? false }

    /// The deciding bucket, which is the last one.
    private var bucket: String? {
        guard let bucket = rules.last?.lastBucket, let range = bucket.range else { return nil }
        let id = bucket.bucketingID == trace.user.id ? "" : " as \(bucket.bucketingID)"
        return "bucket \(bucket.bucket) in \(range.buckets.lowerBound)–\(range.buckets.upperBound - 1)\(id)"
    }

    /// Why each rule did not apply, except for holdouts.
    private var obstacles: String {
        let obstacles = rules.filter { $0.kind != .holdout }.compactMap { rule in
            rule.checks.last?.obstacle.map { "\(rule.key): \($0)" }
        }
        return obstacles.isEmpty ? "no rules" : obstacles.joined(separator: "; ")
    }
}

extension RuleTrace {
    /// The bucket of the last check, which may be in a local holdout.
    fileprivate var lastBucket: BucketTrace? {
        switch checks.last {
        case .bucket(let bucket)?: bucket
        case .localHoldout(let holdout)?: holdout.lastBucket
        default: nil
        }
    }
}

extension RuleTrace.Check {
    /// Why the rule did not apply, if this was its last check.
    fileprivate var obstacle: String? {
        switch self {
        case .notRunning: "not running"
        case .audience(let audience): audience.obstacle
        case .group(_, isAdmitted: false): "other experiment of the group"
        case .bucket(let bucket): "bucket \(bucket.bucket) outside traffic"
        case .predictionGate: "outside bandit traffic"
        case .predictionUnavailable: "no prediction"
        default: nil
        }
    }
}

extension AudienceTrace {
    fileprivate var obstacle: String {
        guard case .unknown = answer else { return "not in audience" }
        return "audience unknown" + (missingName.map { " (no \($0))" } ?? "")
    }

    /// The first missing attribute that made a condition unknown.
    private var missingName: String? {
        if case .unknown(.missingAttribute) = answer, case .attribute(let name?, _, _, _) = condition { return name }
        return operands.lazy.compactMap(\.missingName).first
    }
}
