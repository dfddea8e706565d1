import TurnoutEngine

extension DatafileConverter {
    mutating func convertStandaloneExperiments() {
        for experiment in root.allExperiments where ruleReferences[experiment["id"]?.text ?? ""] == nil {
            project.experiments.append(convertExperiment(experiment, of: ConvertedFlag()))
            let index = project.experiments.count - 1
            add(experiment, in: "experiments", \.experiments[index].verbatim)
        }
    }

    /// Converts an experiment, and keeps its ids and traffic.
    mutating func convertExperiment(_ rule: JSONValue, of scope: ConvertedFlag) -> AuthoredExperiment {
        let (key, ids) = registerRule(rule, ofFlag: scope.key)
        let variations = rule.list("variations")
        var experiment = AuthoredExperiment(key: key)
        experiment.verbatim = ids
        experiment.status = rule["status"]?.text.flatMap(Rule.Status.init) ?? .running
        experiment.audience = audience(of: rule)
        experiment.variations = ownVariations(variations, of: scope, [environment, scope.key, key])
        let allocation = allocation(rule.list("trafficAllocation"), keys: variations.keysByID)
        experiment.split = split(variations.compactMap { $0["key"]?.text }, allocation)
        experiment.traffic = TrafficShare(buckets: allocation.allocatedCount)
        experiment.kind = kind(of: rule)
        let path = EntityPath(.rule, environment, scope.key, key)
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

    /// Keeps the ids of a rule; without a flag, its key is empty. Returns the key in the project, and the ids that the
    /// rule has to carry.
    mutating func registerRule(_ rule: JSONValue, ofFlag flag: String) -> (key: String, ids: [String: JSONValue]) {
        let key = uniqueRuleKey(rule["key"]?.text ?? "")
        ruleReferences[rule["id"]?.text ?? ""] = RuleReference(flag: flag.isEmpty ? nil : flag, rule: key)
        return (key, keepIDs(of: rule, [environment, flag, key]))
    }

    /// Keeps the ids of a rule with these keys in the lock. Returns those that it has to carry.
    mutating func keepIDs(of rule: JSONValue, _ keys: [String]) -> [String: JSONValue] {
        keep(rule["id"]?.text, of: EntityPath(.rule, keys)).merging(
            keep(rule["layerId"]?.text, of: EntityPath(.layer, keys), as: "layerId")
        ) { id, _ in id }
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

    /// The variations of a rule that differ from those of the flag; their ids are kept.
    mutating func ownVariations(
        _ variations: [JSONValue], of scope: ConvertedFlag, _ keys: [String]
    ) -> [AuthoredVariation] {
        var own: [AuthoredVariation] = []
        for variation in variations where !scope.shares(variation) {
            var converted = self.variation(variation, scope.variables)
            guard !own.contains(where: { $0.key == converted.key }) else { continue }
            let carried = keep(variation["id"]?.text, of: EntityPath(.variation, keys + [converted.key]))
            converted.verbatim.merge(carried) { _, id in id }
            own.append(converted)
        }
        return own
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
            guard !project.groups.contains(where: { $0.key == id }) else { continue }
            let carried = keep(id, of: EntityPath(.group, environment, id))
            let allocation = allocation(group.list("trafficAllocation"), keys: names)
            lock.allocations[EntityPath(.group, environment, id)] = allocation
            let counts = allocation.counts
            var converted = AuthoredGroup(
                key: id,
                members: references.map { GroupMember($0, traffic: TrafficShare(buckets: counts[$0.lockKey] ?? 0)) })
            converted.isExclusive = group["policy"]?.text == "random"
            converted.verbatim = carried
            let place = project.groups.count
            project.groups.append(converted)
            add(group, in: "groups", \.groups[place].verbatim)
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
            let carried = keep(holdout["id"]?.text, of: EntityPath(.holdout, environment, key))
            lock.allocations[EntityPath(.holdout, environment, key)] = allocation
            var converted = AuthoredHoldout(key: key, traffic: TrafficShare(buckets: allocation.allocatedCount))
            converted.status = holdout["status"]?.text.flatMap(Rule.Status.init) ?? .running
            converted.audience = audience(of: holdout)
            converted.verbatim = carried
            converted.variations = ownVariations(variations, of: ConvertedFlag(), [environment, key])
            converted.split = split(variations.compactMap { $0["key"]?.text }, allocation)
            if list == "localHoldouts" {
                converted.rules = holdout.list("includedRules").compactMap { ruleReferences[$0.text ?? ""] }
            }
            converted.environments = [environment]
            let place = project.holdouts.count
            project.holdouts.append(converted)
            add(holdout, in: list, \.holdouts[place].verbatim)
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
