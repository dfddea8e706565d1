import TurnoutEngine

/// A flag of another tool while it is translated: its rules in the order of evaluation, of which the first applies.
struct ForeignFlag {
    private struct Rule {
        /// The end of its key, with its number in the file.
        let name: String
        let condition: AuthoredCondition?
        let outcome: ForeignOutcome
        let origin: SourceOrigin
        /// Whether the rule serves the fallback only to keep its users from later rules.
        var isStop = false
    }

    let key: String
    let origin: SourceOrigin
    let variations: ForeignVariations
    /// The outcome if no rule applies.
    let fallback: ForeignOutcome
    var description: String?
    var isEnabled = true
    private var rules: [Rule] = []
    /// Whether the rules so far take all users.
    private(set) var isComplete = false

    /// Creates a flag. Without a fallback it is off, as programs use a default of their own.
    init(_ member: Node.Member, _ variations: ForeignVariations, fallback: ForeignOutcome?) {
        key = member.key.text
        origin = SourceOrigin(KeyedEntry(member).origin.range)
        self.variations = variations
        self.fallback = fallback ?? ForeignOutcome(AuthoredVariation.offKey)
    }

    /// Adds a rule, which serves an outcome, or has no translation.
    ///
    /// If a condition is translated only in part, users that may meet it get the fallback, and later rules do not apply
    /// to them. If that may be all users, later rules are ignored.
    mutating func add(_ outcome: ForeignOutcome?, to condition: ForeignCondition, as name: String, at node: Node) {
        guard outcome?.share.buckets != 0 else { return }
        let origin = SourceOrigin(node.range)
        let sure = condition.authored(countingUntranslatable: false)
        if let outcome { append(outcome, to: sure, as: name, at: origin) }
        let possible = condition.authored(countingUntranslatable: true)
        guard outcome == nil || sure != possible else { return }
        // The next rule applies to users that certainly meet the condition but are outside of the traffic.
        let isPartial = outcome.map { $0.traffic < 1 || $0.groupShare != nil } ?? false
        let rest = isPartial ? ForeignCondition.all([condition, .not(condition)]) : condition
        let users = rest.authored(countingUntranslatable: true)
        append(fallback, to: users, as: "\(name)_fallback", at: origin, isStop: true)
    }

    private mutating func append(
        _ outcome: ForeignOutcome, to condition: ForeignCondition.Authored, as name: String, at origin: SourceOrigin,
        isStop: Bool = false
    ) {
        guard !isComplete else { return }
        switch condition {
        case .constant(false): return
        case .constant(true):
            rules.append(Rule(name: name, condition: nil, outcome: outcome, origin: origin, isStop: isStop))
            isComplete = outcome.takesAll
        case .condition(let condition):
            rules.append(Rule(name: name, condition: condition, outcome: outcome, origin: origin, isStop: isStop))
        }
    }

    // MARK: The result

    /// The flag, and its experiments with a share in a group.
    ///
    /// Experiments are evaluated before deliveries, and users outside the traffic of an experiment continue with the
    /// next rule, but those of a delivery get what everyone else gets. So a rule is an experiment if it divides its
    /// users, if it is in a group, if it has partial traffic and is not the last rule, or if it comes before such a
    /// rule; an experiment with a single variation for all its users is then the same as a delivery. All other rules
    /// are deliveries.
    func authored() -> (flag: AuthoredFlag, members: [(group: String, member: GroupMember)]) {
        var flag = AuthoredFlag(key: key, description: description, origin: origin)
        var rules = rules
        if !isComplete, fallback.single == nil {
            rules.append(Rule(name: "default", condition: nil, outcome: fallback, origin: origin))
        }
        var everyoneElse = fallback.single ?? AuthoredVariation.offKey
        if let last = rules.last, last.condition == nil, last.outcome.takesAll, let single = last.outcome.single {
            everyoneElse = single
            rules.removeLast()
        }
        while let last = rules.last, last.isStop, last.outcome.single == everyoneElse { rules.removeLast() }
        flag.variations = variations.authored
        flag.variables = variations.variable(defaultFrom: everyoneElse).map { [$0] } ?? []
        flag.rules.isEnabled = isEnabled
        flag.rules.everyoneElse?.variation = everyoneElse
        let end = rules.indices.last { index in
            let outcome = rules[index].outcome
            return outcome.single == nil || outcome.groupShare != nil
                || (outcome.share < .all && index + 1 < rules.count)
        }
        var members: [(group: String, member: GroupMember)] = []
        for (index, rule) in rules.enumerated() {
            let ruleKey = "\(key)_\(rule.name)"
            if let share = rule.outcome.groupShare {
                let reference = RuleReference(flag: key, rule: ruleKey)
                members.append((share.group, GroupMember(reference, traffic: share.traffic)))
            }
            if index <= end ?? -1 {
                flag.rules.experiments.append(Self.experiment(ruleKey, rule))
            } else {
                flag.rules.deliveries.append(Self.delivery(ruleKey, rule))
            }
        }
        return (flag, members)
    }

    private static func experiment(_ key: String, _ rule: Rule) -> AuthoredExperiment {
        var experiment = AuthoredExperiment(key: key, origin: rule.origin)
        experiment.audience = rule.condition
        experiment.traffic = rule.outcome.share
        experiment.split = rule.outcome.shares
        if let single = rule.outcome.single {
            experiment.split = [SplitShare(single, weight: 100)]
            // It is an experiment for the sake of the order, and there is nothing to compare.
            experiment.ignoredFindings = ["experiment-one-variation", "experiment-without-metric"]
        }
        return experiment
    }

    private static func delivery(_ key: String, _ rule: Rule) -> AuthoredDelivery {
        var delivery = AuthoredDelivery(
            key: key, variation: rule.outcome.single ?? AuthoredVariation.offKey, origin: rule.origin)
        delivery.audience = rule.condition
        delivery.traffic = rule.outcome.share
        return delivery
    }
}
