import TurnoutEngine

extension DatafileConverter {
    mutating func convertStandaloneExperiments() {
        let grouped = root.list("groups").flatMap { $0.list("experiments") }
        for experiment in root.list("experiments") + grouped
        where ruleReferences[experiment["id"]?.text ?? ""] == nil {
            let converted = convertExperiment(experiment, ofFlag: nil, [:], sharing: [])
            project.experiments.append(converted)
            let index = project.experiments.count - 1
            add(experiment, in: "experiments", "experiment \(converted.key)", \.experiments[index].verbatim)
        }
    }

    /// Converts an experiment, and keeps its ids and traffic.
    mutating func convertExperiment(
        _ rule: JSONValue, ofFlag flag: String?, _ variables: [String: String], sharing sharedKeys: Set<String>
    ) -> AuthoredExperiment {
        let key = registerRule(rule, ofFlag: flag)
        let variations = rule.list("variations")
        var experiment = AuthoredExperiment(key: key)
        experiment.status = rule["status"]?.text.flatMap(Rule.Status.init) ?? .running
        experiment.audience = audience(of: rule)
        experiment.variations = ownVariations(
            variations, variables, sharing: sharedKeys, [environment, flag ?? "", key])
        let allocation = allocation(rule.list("trafficAllocation"), keys: variations.keysByID)
        experiment.split = split(variations.compactMap { $0["key"]?.text }, allocation)
        experiment.traffic = TrafficShare(buckets: allocation.allocatedCount)
        experiment.kind = kind(of: rule)
        let path = EntityPath(.rule, environment, flag ?? "", key)
        lock.allocations[path] = allocation
        if case .bandit = experiment.kind {
            let end = min(max(rule["cmab"]?["trafficAllocation"]?.wholeNumber ?? 0, 0), Bucketing.bucketCount)
            experiment.traffic = TrafficShare(buckets: end)
            experiment.split = experiment.split.map { SplitShare($0.variation, weight: 100) }
            if allocation.ranges.isEmpty { lock.allocations[path] = nil }
        }
        experiment.allowList = allowList(of: rule, experiment.split.map(\.variation))
        return experiment
    }

    /// Keeps the ids of a rule. Returns its key in the project.
    mutating func registerRule(_ rule: JSONValue, ofFlag flag: String?) -> String {
        let key = uniqueRuleKey(rule["key"]?.text ?? "")
        lock.ids[EntityPath(.rule, environment, flag ?? "", key)] = rule["id"]?.text
        lock.ids[EntityPath(.layer, environment, flag ?? "", key)] = rule["layerId"]?.text
        ruleReferences[rule["id"]?.text ?? ""] = RuleReference(flag: flag, rule: key)
        return key
    }

    private func kind(of rule: JSONValue) -> AuthoredExperiment.Kind {
        let type = rule["type"]?.text.flatMap(Rule.ExperimentType.init) ?? .unspecified
        if let bandit = rule["cmab"], bandit != .null {
            let keys = Dictionary(
                root.list("attributes").map { ($0["id"]?.text ?? "", $0["key"]?.text ?? "") }
            ) { first, _ in first }
            return .bandit(attributes: bandit.list("attributeIds").compactMap { keys[$0.text ?? ""] })
        }
        return type == .featureRollout ? .rollout : .split(type: type)
    }

    /// The variations of a rule that differ from those that the flag's rules share; their ids are kept.
    mutating func ownVariations(
        _ variations: [JSONValue], _ variables: [String: String], sharing sharedKeys: Set<String>, _ keys: [String]
    ) -> [AuthoredVariation] {
        variations.compactMap { variation in
            let key = variation["key"]?.text ?? ""
            guard !sharedKeys.contains(key), lock.register(.variation, keys + [key], variation["id"]?.text) else {
                return nil
            }
            return self.variation(variation, variables)
        }
    }

    private func allowList(of rule: JSONValue, _ order: [String]) -> [AllowListEntry] {
        guard case .object(let members) = rule["forcedVariations"] else { return [] }
        var users: [String: [String]] = [:]
        for (user, variation) in members.sorted(by: { $0.key < $1.key }) {
            users[variation.text ?? "", default: []].append(user)
        }
        return order.compactMap { key in users.removeValue(forKey: key).map { AllowListEntry(key, userIDs: $0) } }
    }

    // MARK: Traffic

    /// The ranges of a traffic list, with keys in place of ids, as far as they ascend. Ids without a key are empty.
    func allocation(_ list: [JSONValue], keys: [String: String]) -> TrafficAllocation {
        var ranges: [TrafficAllocation.Range] = []
        for entry in list {
            let end = min(max(entry["endOfRange"]?.wholeNumber ?? 0, 0), Bucketing.bucketCount)
            guard end > ranges.last?.end ?? 0 else { continue }
            ranges.append(TrafficAllocation.Range(keys[entry["entityId"]?.text ?? ""] ?? "", end: end))
        }
        return TrafficAllocation(ranges)
    }

    /// The weights that give exactly the allocated buckets: percent if that is exact, otherwise numbers of buckets.
    func split(_ keys: [String], _ allocation: TrafficAllocation) -> [SplitShare] {
        let counts = allocation.counts
        let total = allocation.allocatedCount
        guard total > 0 else { return keys.map { SplitShare($0, weight: 100) } }
        let isExact = counts.values.allSatisfy { ($0 * 10_000).isMultiple(of: total) }
        var seen: Set<String> = []
        return keys.filter { seen.insert($0).inserted }.map { key in
            let count = counts[key] ?? 0
            return SplitShare(key, weight: isExact ? count * 10_000 / total : count * 100)
        }
    }

    // MARK: Groups and holdouts

    mutating func convertGroups() {
        for group in root.list("groups") {
            let id = group["id"]?.text ?? ""
            let references = group.list("experiments").compactMap { ruleReferences[$0["id"]?.text ?? ""] }
            let names = Dictionary(
                group.list("experiments").compactMap { experiment -> (String, String)? in
                    let id = experiment["id"]?.text ?? ""
                    return ruleReferences[id].map { (id, $0.lockKey) }
                }
            ) { first, _ in first }
            guard lock.register(.group, [environment, id], id) else { continue }
            let allocation = allocation(group.list("trafficAllocation"), keys: names)
            lock.allocations[EntityPath(.group, environment, id)] = allocation
            let counts = allocation.counts
            var converted = AuthoredGroup(
                key: id,
                members: references.map { GroupMember($0, traffic: TrafficShare(buckets: counts[$0.lockKey] ?? 0)) })
            converted.isExclusive = group["policy"]?.text == "random"
            project.groups.append(converted)
            add(group, in: "groups", "group \(id)", \.groups[project.groups.count - 1].verbatim)
        }
    }

    mutating func convertHoldouts() {
        for (list, holdout) in root.list("holdouts").map({ ("holdouts", $0) })
            + root.list("localHoldouts").map({ ("localHoldouts", $0) })
        {
            var keys = Set(project.holdouts.map(\.key))
            let key = unique(holdout["key"]?.text ?? "holdout", among: &keys)
            let variations = holdout.list("variations")
            let allocation = allocation(holdout.list("trafficAllocation"), keys: variations.keysByID)
            lock.ids[EntityPath(.holdout, environment, key)] = holdout["id"]?.text
            lock.allocations[EntityPath(.holdout, environment, key)] = allocation
            var converted = AuthoredHoldout(key: key, traffic: TrafficShare(buckets: allocation.allocatedCount))
            converted.status = holdout["status"]?.text.flatMap(Rule.Status.init) ?? .running
            converted.audience = audience(of: holdout)
            converted.variations = ownVariations(variations, [:], sharing: [], [environment, key])
            converted.split = split(variations.compactMap { $0["key"]?.text }, allocation)
            if list == "localHoldouts" {
                converted.rules = holdout.list("includedRules").compactMap { ruleReferences[$0.text ?? ""] }
            }
            converted.environments = [environment]
            project.holdouts.append(converted)
            add(holdout, in: list, "holdout \(key)", \.holdouts[project.holdouts.count - 1].verbatim)
        }
    }
}

extension [JSONValue] {
    /// The keys of variations by id; the first wins.
    var keysByID: [String: String] {
        Dictionary(map { ($0["id"]?.text ?? "", $0["key"]?.text ?? "") }) { first, _ in first }
    }
}

extension TrafficAllocation {
    /// The number of buckets with a key.
    var allocatedCount: Int { counts.values.reduce(0, +) }
}
