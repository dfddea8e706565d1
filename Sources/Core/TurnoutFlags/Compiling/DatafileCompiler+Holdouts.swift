import TurnoutEngine

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
