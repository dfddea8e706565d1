extension DecisionTrace: CustomStringConvertible {
    /// The trace as a human-readable tree.
    public var description: String { tree.text }

    /// The trace as a tree of lines.
    package var tree: TraceTree {
        TraceTree(headline, stages.map(\.tree) + effects)
    }

    private var headline: String {
        let who = "\(decision.flagKey) for \(user.id.debugDescription)"
        switch decision.stage {
        case .flagNotFound: return "\(who): the datafile has no such flag"
        case .notReady: return "\(who): there is no datafile"
        case .needsPrediction: return "\(who): needs a prediction"
        case .predictionFailed: return "\(who): no variation, because the prediction failed"
        default: break
        }
        guard let variation = decision.variationKey else { return "\(who): no variation, off" }
        let rule = decision.rule.map { rule in
            rule.kind == .rollout && Rule.isGenerated(rule.key, ofRule: rule.id)
                ? " by the rule for everyone else" : " by \(rule.kind.text(rule.type)) \(rule.key)"
        }
        return "\(who): \(variation), \(decision.isEnabled ? "on" : "off"),\(rule ?? " by a forced decision")"
    }

    private var effects: [TraceTree] {
        guard !decision.isError else { return [] }
        var effects: [TraceTree] = []
        let errors = decision.reasons.filter(\.isVariableError).map { TraceTree($0.description) }
        if !errors.isEmpty { effects.append(TraceTree("variables", errors)) }
        if let assignment = decision.assignment {
            effects.append(
                TraceTree(
                    "store assignment: experiment \(assignment.experimentID) → variation \(assignment.variationID)"))
        } else if decision.lacksProfile {
            effects.append(TraceTree("no assignment to store: the user's profile is unavailable"))
        }
        guard let impression = decision.impression else { return effects + [TraceTree("send: nothing")] }
        let variation = impression.variationID ?? "none"
        effects.append(
            TraceTree(
                "send: impression, \(impression.ruleType), campaign \(impression.campaignID.quotedIfEmpty), "
                    + "experiment \(impression.experimentID.quotedIfEmpty), variation \(variation)"))
        return effects
    }
}

extension Reason {
    fileprivate var isVariableError: Bool {
        switch self {
        case .invalidVariable, .invalidVariables: true
        default: false
        }
    }
}

extension String {
    fileprivate var quotedIfEmpty: String { isEmpty ? "\"\"" : self }
}

extension DecisionTrace.Stage {
    fileprivate var tree: TraceTree {
        switch self {
        case .forcedDecision(let variation?): TraceTree("forced decision for the flag: \(variation)")
        case .forcedDecision(nil): TraceTree("forced decision for the flag: a variation it does not have, ignored")
        case .rule(let rule): rule.tree
        case .noExperiments: TraceTree("no experiments")
        case .noRollout: TraceTree("no rollout")
        case .unknownRollout(let id): TraceTree("rollout \(id): not in the datafile")
        case .emptyRollout(let id): TraceTree("rollout \(id): no rules")
        }
    }
}

extension RuleTrace {
    fileprivate var tree: TraceTree {
        let isNotable = kind != .rollout && status != .running
        let everyoneElse = Rule.isGenerated(key, ofRule: id) ? "" : " \(key),"
        let title = isForEveryoneElse ? "rollout rule\(everyoneElse) for everyone else" : "\(kind.text(type)) \(key)"
        return TraceTree(title + (isNotable ? " (\(status.rawValue))" : ""), checks.map(\.tree))
    }
}

extension Rule.Kind {
    fileprivate func text(_ type: Rule.ExperimentType) -> String {
        switch (self, type) {
        case (.rollout, _): "rollout rule"
        case (.experiment, .featureRollout): "feature rollout"
        case (.experiment, .targetedDelivery): "targeted delivery"
        default: "\(self)"
        }
    }
}

extension RuleTrace.Check {
    fileprivate var tree: TraceTree {
        switch self {
        case .localHoldout(let holdout): holdout.tree
        case .forcedDecision(let variation?): TraceTree("forced decision for the rule: \(variation)")
        case .forcedDecision(nil): TraceTree("forced decision for the rule: a variation the flag lacks, ignored")
        case .notRunning: TraceTree("not running, left", answer: .no)
        case .forcedVariation(let variation?): TraceTree("forced variation: \(variation)")
        case .forcedVariation(nil): TraceTree("forced variation: one the experiment does not have, ignored")
        case .whitelist(let variation, true): TraceTree("whitelisted: \(variation)")
        case .whitelist(let variation, false): TraceTree("whitelisted: \(variation), not in the datafile, ignored")
        case .storedAssignment(let variation): TraceTree("stored assignment: \(variation)")
        case .audience(let audience):
            TraceTree("audience: \(audience.answer.text)", audience.branches, answer: audience.answer)
        case .group(let bucket, let isAdmitted):
            TraceTree(
                "group: \(bucket.text) → \(isAdmitted ? "this experiment" : "not this experiment")",
                answer: isAdmitted ? .yes : .no)
        case .bucket(let bucket): TraceTree("bucket: \(bucket.text)", answer: bucket.range == nil ? .no : .yes)
        case .predictionGate(let bucket, let limit):
            TraceTree(
                "bandit traffic: bucket \(bucket) is \(bucket < limit ? "" : "not ")below \(limit)",
                answer: bucket < limit ? .yes : .no)
        case .predictionUnavailable: TraceTree("contextual bandit: no prediction service, skipped")
        case .predictionFailed: TraceTree("contextual bandit: no prediction")
        case .predicted(let id, let uuid): TraceTree("contextual bandit: variation id \(id), prediction \(uuid)")
        case .needsPrediction: TraceTree("contextual bandit: a prediction is needed")
        }
    }
}

extension BucketTrace {
    fileprivate var text: String {
        let place = "\(bucket) = hash of \(bucketingID.debugDescription) + salt \(salt)"
        guard let range else { return "\(place) → outside all traffic" }
        let entity = range.entityKey ?? "nothing (id \(range.entityID.debugDescription))"
        return "\(place), in \(range.buckets.lowerBound)–\(range.buckets.upperBound - 1) → \(entity)"
    }
}

extension AudienceTrace {
    /// The condition itself, or nothing for everyone.
    fileprivate var branches: [TraceTree] { condition == .everyone ? [] : [tree] }

    private var tree: TraceTree {
        TraceTree("\(condition.text): \(answer.text)", operands.map(\.tree), answer: answer)
    }
}

extension AudienceTrace.Condition {
    fileprivate var text: String {
        switch self {
        case .everyone: "everyone"
        case .all: "all of"
        case .any: "any of"
        case .not: "not"
        case .audience(let id, let name): "audience \(name) (\(id))"
        case .attribute(let name, let match, let expected, let actual):
            "\(name ?? "(no attribute)") \(match) \(expected ?? "(no value)"), user has \(actual ?? "nothing")"
        case .never(let reason): reason
        }
    }
}

extension AudienceTrace.Answer {
    fileprivate var text: String {
        switch self {
        case .yes: "yes"
        case .no: "no"
        case .unknown(let cause): "unknown (\(cause.text))"
        case .skipped: "not looked at"
        }
    }
}

/// A line of a trace, and the lines that explain it.
package struct TraceTree: Sendable {
    package let line: String
    package let branches: [TraceTree]
    /// Whether the user meets what the line says; nil if it is no question.
    package let answer: AudienceTrace.Answer?

    /// Replaces line breaks in names, which would break the tree.
    fileprivate init(_ line: String, _ branches: [TraceTree] = [], answer: AudienceTrace.Answer? = nil) {
        self.line = line.contains(where: \.isNewline) ? line.map { $0.isNewline ? "␤" : String($0) }.joined() : line
        (self.branches, self.answer) = (branches, answer)
    }

    /// The tree as text, without a line break at the end.
    fileprivate var text: String { lines.joined(separator: "\n") }

    private var lines: [String] {
        [line]
            + branches.enumerated().flatMap { index, branch in
                let isLast = index == branches.count - 1
                return branch.lines.enumerated().map { number, line in
                    let lead = number == 0 ? (isLast ? "└─ " : "├─ ") : (isLast ? "   " : "│  ")
                    return lead + line
                }
            }
    }
}
