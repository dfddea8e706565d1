import TurnoutEngine

/// The rules of a project by reference.
struct RuleIndex {
    private var experiments: Set<RuleReference> = []
    private var deliveries: Set<RuleReference> = []
    private var byName: [String: RuleReference] = [:]
    private var names = KnownKeys("rule", problem: .unknownRule)
    /// Whether the project has no other rules.
    let isComplete: Bool

    init(_ project: AuthoredProject, isComplete: Bool) {
        self.isComplete = isComplete
        for flag in project.flags {
            for rules in [flag.rules] + flag.rulesByEnvironment.values {
                for rule in rules.experiments { insert(flag.key, rule.key, into: \.experiments) }
                for rule in rules.deliveries { insert(flag.key, rule.key, into: \.deliveries) }
            }
        }
        for rule in project.experiments { insert(nil, rule.key, into: \.experiments) }
    }

    private mutating func insert(
        _ flag: String?, _ rule: String, into kind: WritableKeyPath<RuleIndex, Set<RuleReference>>
    ) {
        let reference = RuleReference(flag: flag, rule: rule)
        self[keyPath: kind].insert(reference)
        if byName[reference.name] == nil { byName[reference.name] = reference }
        names.insert(reference.name)
    }

    /// The rule with a name such as `checkout/checkout_ab`.
    subscript(name: String) -> RuleReference? { byName[name] }

    /// Whether it is an experiment in some environment.
    func isExperiment(_ reference: RuleReference) -> Bool { experiments.contains(reference) }

    /// The names of all rules.
    var allNames: KnownKeys { names }
}

extension ProjectReader {
    mutating func group(_ entry: KeyedEntry, _ rules: RuleIndex) -> AuthoredGroup? {
        guard let members = members(of: entry, .group) else { return nil }
        var group = AuthoredGroup(key: entry.key, members: [], origin: entry.origin)
        if let value = boolean(members["exclusive"]) { group.isExclusive = value }
        if let traffic = required("traffic", in: members) {
            group.members = entries(of: traffic, "shares by experiment").compactMap { entry in
                let share = share(entry)
                let rule = rule(entry.key, entry.keyRange, rules)
                if let rule, !rules.isExperiment(rule) {
                    report(
                        .unknownRule, "\(quoted(entry.key)) is a delivery", advice: "groups consist of experiments",
                        at: entry.keyRange.lowerBound)
                    return nil
                }
                guard let share, let rule else { return nil }
                return GroupMember(rule, traffic: share)
            }
            let total = group.members.reduce(0) { $0 + $1.traffic.buckets }
            if group.isExclusive, total > TrafficShare.all.buckets {
                report(
                    .groupTraffic, "the shares of the group \(quoted(entry.key)) are \(Hundredths.text(total))% in sum",
                    advice: "an exclusive group divides at most 100%", at: traffic.keyRange.lowerBound)
            }
        }
        readCommonMembers(members, of: &group)
        return group
    }

    /// The rule with a name; nil if there is none, which is reported.
    private mutating func rule(_ name: String, _ range: Range<Int>, _ rules: RuleIndex) -> RuleReference? {
        if var reference = rules[name] {
            reference.origin = SourceOrigin(range)
            return reference
        }
        if rules.isComplete { _ = check(name, in: rules.allNames, at: range.lowerBound) }
        return nil
    }

    mutating func holdout(_ entry: KeyedEntry, _ rules: RuleIndex) -> AuthoredHoldout? {
        guard let members = members(of: entry, .holdout) else { return nil }
        let traffic = share(required("traffic", in: members)) ?? TrafficShare(buckets: 0)
        var holdout = AuthoredHoldout(key: entry.key, traffic: traffic, origin: entry.origin)
        holdout.status = word(members["status"], Rule.Status.wordsOfHoldouts) ?? .running
        holdout.audience = condition(members["audience"])
        for entry in nonEmpty(members["rules"], "rules") {
            if let name = string(entry), let rule = rule(name, entry.node.range, rules) { holdout.rules.append(rule) }
        }
        for entry in nonEmpty(members["environments"], "environments") {
            if let key = string(entry), check(key, in: environments, at: entry.offset) {
                holdout.environments.append(key)
            }
        }
        readVariations(of: &holdout, members)
        readCommonMembers(members, of: &holdout)
        return holdout
    }

    private mutating func readVariations(of holdout: inout AuthoredHoldout, _ members: Members) {
        var known = KnownKeys("variation", problem: .unknownVariation)
        if let entry = members["variations"] {
            known.collect(entry)
            holdout.variations = variations(entry, RuleScope())
            holdout.split = split(required("split", in: members), .split(type: .unspecified), known)
        } else if let entry = members["split"] {
            known.insert(AuthoredVariation.offKey)
            holdout.split = split(entry, .split(type: .unspecified), known)
        }
    }

    /// The elements of a list that may be left out, but not be empty.
    private mutating func nonEmpty(_ entry: KeyedEntry?, _ kind: String) -> [KeyedEntry] {
        guard let entry, let elements = elements(of: entry, "a list of \(kind)") else { return [] }
        if elements.isEmpty {
            report(
                .emptyList, "the list of \(kind) is empty", advice: "leave it out if all \(kind) are meant",
                at: entry.offset)
        }
        return elements
    }
}
