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
            let experiments = rules.experiments.map { ($0.key, $0.formerKey, $0.origin) }
            checkFormerKeys(experiments + rules.deliveries.map { ($0.key, $0.formerKey, $0.origin) }, "rule")
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
        delivery.formerKey = string(members["was"])
        delivery.audience = condition(members["audience"])
        if let traffic = share(members["traffic"]) { delivery.traffic = traffic }
        if let value = boolean(members["enabled"]) { delivery.isEnabled = value }
        delivery.variations = own
        delivery.ignoredFindings = ignoredFindings(members["ignore"])
        delivery.verbatim = verbatim(members["datafile"])
        return delivery
    }

    /// The variations of a rule alone, and all that it may refer to.
    mutating func ownVariations(_ members: Members, _ scope: RuleScope) -> ([AuthoredVariation], RuleScope) {
        var scope = scope
        let own = variations(members["variations"], scope)
        scope.variations.collect(members["variations"])
        return (own, scope)
    }
}
