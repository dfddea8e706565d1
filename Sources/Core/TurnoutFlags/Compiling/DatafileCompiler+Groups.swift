import TurnoutEngine

extension DatafileCompiler {
    /// Compiles the groups, and marks the experiments that are in one.
    mutating func compileGroups() -> [Node] {
        let history = compilation.history(
            of: project.groups.map { ($0.key, $0.formerKey, $0.origin) }, .group,
            inside: lockedEnvironment.map { [$0] })
        let indices = Dictionary(experiments.indices.map { (experiments[$0].reference, $0) }) { first, _ in first }
        let ids = Dictionary(ruleIDs.map { ($0.lockKey, $1) }) { first, _ in first }
        return project.groups.map { group in
            let path = EntityPath(.group, environment.key, group.key)
            let lockedPath = history.path(group.key, lockedEnvironment.map { [$0] })
            let id = compilation.lock.id(path, lockedAs: lockedPath)
            var members: [Node] = []
            for member in group.members {
                guard let index = indices[member.experiment] else { continue }
                if experiments[index].isInGroup {
                    compilation.report(
                        .groupOverlap, "\(member.experiment.name) is in two groups",
                        advice: "remove it from one", at: member.experiment.origin)
                }
                experiments[index].isInGroup = true
                members.append(experiments[index].node)
            }
            var allocation = TrafficAllocation()
            if group.isExclusive { allocation = allocate(group, path, lockedAs: lockedPath) }
            return .object(
                [
                    "id": .string(id),
                    "policy": .string(group.isExclusive ? "random" : "overlapping"),
                    "trafficAllocation": Self.node(allocation) { ids[$0] },
                    "experiments": .list(members),
                ], verbatim: group.verbatim)
        }
    }

    private mutating func allocate(
        _ group: AuthoredGroup, _ path: EntityPath, lockedAs lockedPath: EntityPath?
    ) -> TrafficAllocation {
        let targets = group.members.filter { knownRules.contains($0.experiment) }.map {
            TrafficAllocation.Target($0.experiment.lockKey, $0.traffic.buckets)
        }
        let total = targets.reduce(0) { $0.addingReportingOverflow(max($1.count, 0)).partialValue }
        if !(0...Bucketing.bucketCount).contains(total) {
            compilation.report(
                .groupTraffic, "the experiments of the group \"\(group.key)\" have more than 100 % together",
                at: group.origin)
        }
        let renames = renamedRules
        return compilation.lock.allocation(path, lockedAs: lockedPath, presentKey: { renames[$0] ?? $0 }) { _ in
            targets
        }
    }
}

extension RuleReference {
    /// The rule as the traffic of groups names it: `flag/rule`, with `~1` for `/` and `~0` for `~` in the flag's key.
    var lockKey: String {
        guard let flag else { return rule }
        var escaped = ""
        for scalar in flag.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return "\(escaped)/\(rule)"
    }
}

extension DatafileCompiler {
    /// Compiles the holdouts of the environment: those for all flags, and those for single rules.
    ///
    /// A holdout keeps its ids and its traffic in the environments to which it does not apply.
    mutating func compileHoldouts() -> (global: [Node], local: [Node]) {
        let history = compilation.history(
            of: project.holdouts.map { ($0.key, $0.formerKey, $0.origin) }, .holdout,
            inside: lockedEnvironment.map { [$0] })
        var global: [Node] = []
        var local: [Node] = []
        for holdout in project.holdouts {
            let rules = holdout.rules.compactMap { ruleIDs[$0] }
            let applies = holdout.environments.isEmpty || holdout.environments.contains(environment.key)
            // A local holdout without rules would be invalid.
            let isPresent = applies && (holdout.rules.isEmpty || !rules.isEmpty)
            let node = compile(
                holdout, history, rules: holdout.rules.isEmpty ? nil : rules,
                isPresent: isPresent)
            guard isPresent else { continue }
            if holdout.rules.isEmpty { global.append(node) } else { local.append(node) }
        }
        return (global, local)
    }

    private mutating func compile(
        _ holdout: AuthoredHoldout, _ history: LockedKeys, rules: [String]?, isPresent: Bool
    ) -> Node {
        let keys = [environment.key, holdout.key]
        let lockedKeys = history.path(holdout.key, lockedEnvironment.map { [$0] })?.keys
        let path = EntityPath(.holdout, keys)
        let lockedPath = lockedKeys.map { EntityPath(.holdout, $0) }
        let id = compilation.lock.id(path, lockedAs: lockedPath)
        let variations = compilation.identify(holdout.variations, inside: keys, lockedAs: lockedKeys)
        let allocation = compilation.lock.allocation(
            path, lockedAs: lockedPath, presentKey: { variations.presentKeys[$0] ?? $0 }
        ) { $0.targets(of: holdout.traffic, by: holdout.split.map { ($0.variation, $0.weight) }) }
        let name = "holdout \(holdout.key)"
        let condition = compile(
            holdout.audience, of: name, keys: keys, lockedKeys: lockedKeys, at: holdout.origin, isPresent: isPresent)
        var nodes: [Node] = []
        for share in holdout.split {
            guard let (variation, id) = variations[share.variation] else {
                reportUnknownVariation(share.variation, of: name, at: share.origin)
                continue
            }
            nodes.append(node(variation, id: id, variableIDs: [:], of: name))
        }
        return .object(
            [
                "id": .string(id),
                "key": .string(holdout.key),
                "status": .string(holdout.status.rawValue),
                "audienceIds": condition.idsNode,
                "audienceConditions": condition.node,
                "variations": .list(nodes),
                "trafficAllocation": Self.node(allocation) { variations[$0]?.id },
                "includedRules": rules.map(Node.strings),
            ], verbatim: holdout.verbatim)
    }
}
