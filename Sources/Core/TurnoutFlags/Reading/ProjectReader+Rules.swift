import TurnoutEngine

extension ProjectReader {
    /// The rules of a flag, or of a flag in an environment, which inherits what it does not replace.
    mutating func rules(_ members: Members, in scope: RuleScope, inherited: AuthoredRules) -> AuthoredRules {
        var rules = inherited
        rules.origin = members.entry.origin
        if let entry = members["rules"] {
            rules.experiments = []
            rules.deliveries = []
            readRules(entry, scope, into: &rules)
            checkFormerKeys(rules.experiments as [any RenamablePart] + rules.deliveries, "rule")
        }
        if let entry = members["else"] { rules.everyoneElse = everyoneElse(entry, scope) }
        if let value = boolean(members["enabled"]) { rules.isEnabled = value }
        if let entry = members["rollout"], let members = self.members(of: entry, .deliveries) {
            rules.verbatim = verbatim(members["datafile"])
        }
        return rules
    }

    private mutating func readRules(_ entry: KeyedEntry, _ scope: RuleScope, into rules: inout AuthoredRules) {
        guard let elements = elements(of: entry, "a list of rules") else {
            knowsAllRules = false
            return
        }
        var firstDelivery: KeyedEntry?
        for element in elements {
            guard let (rule, part) = kind(of: element), let members = members(of: element, part),
                let key = string(members[part.keys[0]])
            else {
                knowsAllRules = false
                continue
            }
            let origin = SourceOrigin(
                rule.keyRange.lowerBound..<max(rule.keyRange.upperBound, element.origin.upperBound))
            if part == .delivery {
                firstDelivery = firstDelivery ?? rule
                rules.deliveries.append(delivery(members, key, origin, scope))
            } else {
                if let firstDelivery { reportOrder(of: rule, after: firstDelivery) }
                rules.experiments.append(experiment(members, key, origin, scope))
            }
        }
    }

    private mutating func reportOrder(of rule: KeyedEntry, after delivery: KeyedEntry) {
        let line = source.position(of: delivery.keyRange.lowerBound).line
        report(
            .ruleOrder, "the \(rule.key) \(rule.node.summary) comes after a delivery, but is evaluated before it",
            advice: "move it before the delivery in line \(line)", at: rule.keyRange.lowerBound)
    }

    /// The member that names a rule, and the kind of rule it stands for.
    private mutating func kind(of rule: KeyedEntry) -> (KeyedEntry, ProjectPart)? {
        let kinds = ProjectPart.rules.map { ($0.keys[0], $0) }
        guard case .mapping(let list) = rule.node.content else {
            reportType("a rule", rule, advice: "write it as a mapping with the key \(kinds[0].0) or \(kinds[3].0)")
            return nil
        }
        let entries = list.map(KeyedEntry.init)
        let named = entries.compactMap { entry in kinds.first { $0.0 == entry.key }.map { (entry, $0.1) } }
        if let second = named.first(where: { $0.1 != named[0].1 }) {
            report(
                .conflictingKeys, "\(quoted(named[0].0.key)) and \(quoted(second.0.key)) exclude each other in a rule",
                at: second.0.keyRange.lowerBound)
            return nil
        }
        if let found = named.first { return found }
        // A misspelt key is reported when the members are read, since the kind's first key names it.
        for entry in entries where !ProjectPart.rules.contains(where: { $0.keys.contains(entry.key) }) {
            if let meant = suggestion(for: entry.key, among: kinds.map(\.0)),
                let part = kinds.first(where: { $0.0 == meant })?.1
            {
                return (entry, part)
            }
        }
        report(
            .missingKey, "a rule needs one of the keys \(kinds.map(\.0).joined(separator: ", "))",
            at: rule.offset)
        return nil
    }

    private mutating func everyoneElse(_ entry: KeyedEntry, _ scope: RuleScope) -> EveryoneElse? {
        if entry.node.isNull { return nil }
        var everyoneElse = EveryoneElse()
        everyoneElse.origin = entry.origin
        var value: KeyedEntry? = entry
        if case .mapping = entry.node.content {
            guard let members = members(of: entry, .everyoneElse) else { return everyoneElse }
            value = members["serve"]
            everyoneElse.verbatim = verbatim(members["datafile"])
        }
        if let key = variation(value, scope.variations) { everyoneElse.variation = key }
        return everyoneElse
    }

    /// The key of a variation that exists.
    private mutating func variation(_ entry: KeyedEntry?, _ known: KnownKeys) -> String? {
        guard let entry, let key = string(entry, "the key of a variation") else { return nil }
        return check(key, in: known, at: entry.offset) ? key : nil
    }

    // MARK: Deliveries

    private mutating func delivery(
        _ members: Members, _ key: String, _ origin: SourceOrigin, _ scope: RuleScope
    ) -> AuthoredDelivery {
        let (own, scope) = ownVariations(members, scope)
        let served = required("serve", in: members)
        var delivery = AuthoredDelivery(
            key: key, variation: variation(served, scope.variations) ?? AuthoredVariation.offKey, origin: origin)
        delivery.audience = condition(members["audience"])
        if let traffic = share(members["traffic"]) { delivery.traffic = traffic }
        if let value = boolean(members["enabled"]) { delivery.isEnabled = value }
        delivery.variations = own
        readCommonMembers(members, of: &delivery)
        return delivery
    }

    /// The variations of a rule alone, and all that it may refer to.
    mutating func ownVariations(_ members: Members, _ scope: RuleScope) -> ([AuthoredVariation], RuleScope) {
        var scope = scope
        let own = variations(members["variations"], scope)
        scope.variations.collect(members["variations"])
        return (own, scope)
    }

    /// An experiment without a flag. Its key is that of the mapping, and its kind the value of `type`.
    mutating func experimentWithoutFlag(_ entry: KeyedEntry) -> AuthoredExperiment? {
        guard let members = members(of: entry, .experimentWithoutFlag) else {
            knowsAllRules = false
            return nil
        }
        return experiment(members, entry.key, entry.origin, RuleScope())
    }

    mutating func experiment(
        _ members: Members, _ key: String, _ origin: SourceOrigin, _ scope: RuleScope
    ) -> AuthoredExperiment {
        let (own, scope) = ownVariations(members, scope)
        var experiment = AuthoredExperiment(key: key, origin: origin)
        experiment.kind = kind(members)
        experiment.status = word(members["status"], Rule.Status.wordsOfExperiments) ?? .running
        experiment.audience = condition(members["audience"])
        if let traffic = share(members["traffic"]) { experiment.traffic = traffic }
        experiment.split = split(required("split", in: members), experiment.kind, scope.variations)
        experiment.variations = own
        experiment.allowList = allowList(members["allow_list"], scope.variations)
        experiment.metrics = metrics(members["metrics"], of: experiment.kind)
        experiment.plan = plan(members["plan"], of: experiment.kind)
        readCommonMembers(members, of: &experiment)
        return experiment
    }

    private mutating func kind(_ members: Members) -> AuthoredExperiment.Kind {
        let kind: AuthoredExperiment.Kind =
            switch members.part {
            case .bandit: .bandit(attributes: [])
            case .rollout: .rollout
            case .experiment: word(members["type"], AuthoredExperiment.Kind.splits) ?? .split(type: .abTest)
            default: word(members["type"], AuthoredExperiment.Kind.all) ?? .split(type: .abTest)
            }
        guard case .bandit = kind else {
            if let entry = members["attributes"] {
                report(
                    .conflictingKeys, "only a bandit has \"attributes\"", advice: "add type: bandit",
                    at: entry.keyRange.lowerBound)
            }
            return kind
        }
        let entries = members["attributes"].flatMap { elements(of: $0, "a list of attributes") } ?? []
        let keys = entries.compactMap { entry in string(entry).flatMap { attribute($0, entry) } }
        return .bandit(attributes: keys)
    }

    private mutating func attribute(_ key: String, _ entry: KeyedEntry) -> String? {
        check(key, in: attributes, at: entry.offset) ? key : nil
    }

    /// The weights of variations, or a list of variations with equal weights.
    mutating func split(_ entry: KeyedEntry?, _ kind: AuthoredExperiment.Kind, _ known: KnownKeys) -> [SplitShare] {
        guard let entry else { return [] }
        let isBandit = if case .bandit = kind { true } else { false }
        var shares: [SplitShare] = []
        var isWhole = true
        if isBandit || entry.node.isSequence {
            let list = elements(of: entry, "a list of variations") ?? []
            for entry in distinct(list.compactMap { keyElement($0) })
            where check(entry.key, in: known, at: entry.offset) {
                shares.append(SplitShare(entry.key, weight: 100, origin: entry.origin))
            }
        } else {
            for entry in entries(of: entry, "weights by variation, or a list of variations") {
                let weight = weight(entry)
                isWhole = isWhole && weight != nil
                guard check(entry.key, in: known, at: entry.keyRange.lowerBound), let weight else { continue }
                shares.append(SplitShare(entry.key, weight: weight, origin: entry.origin))
            }
        }
        if isWhole, !shares.isEmpty, shares.allSatisfy({ $0.weight == 0 }) {
            report(.weight, "all weights of the split are zero", at: entry.keyRange.lowerBound)
        }
        if kind == .rollout, shares.count > 1 {
            report(
                .weight, "a rollout has one variation, found \(shares.count)",
                advice: "use an experiment to compare variations", at: entry.keyRange.lowerBound)
        }
        return shares
    }

    private mutating func allowList(_ entry: KeyedEntry?, _ known: KnownKeys) -> [AllowListEntry] {
        guard let entry else { return [] }
        var lines: [String: Int] = [:]
        return entries(of: entry, "users by variation").compactMap { entry in
            let isKnown = check(entry.key, in: known, at: entry.keyRange.lowerBound)
            let users = elements(of: entry, "a list of users") ?? []
            let userIDs = users.compactMap { user -> String? in
                guard let id = string(user) else { return nil }
                let line = source.position(of: user.offset).line
                guard let first = lines.updateValue(line, forKey: id) else { return id }
                report(
                    .duplicateUser, "user \"\(id)\" is in the allow list twice",
                    advice: "it is already in line \(first)", at: user.offset)
                return nil
            }
            return isKnown ? AllowListEntry(entry.key, userIDs: userIDs, origin: entry.origin) : nil
        }
    }
}
