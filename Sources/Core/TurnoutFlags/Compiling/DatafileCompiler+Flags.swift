import TurnoutEngine

extension DatafileCompiler {
    /// Compiles a flag with its rules.
    ///
    /// The rules of a disabled flag keep their ids and their traffic, but are not in the datafile.
    mutating func compile(_ identified: IdentifiedFlag) -> Node {
        let flag = identified.flag
        let rules = flag.rules(in: environment.key)
        let history = history(
            of: rules.experiments.map { ($0.key, $0.formerKey, $0.origin) }
                + rules.deliveries.map { ($0.key, $0.formerKey, $0.origin) }, inside: identified.lockedKey)
        var scopes: [String: CompiledRuleScope] = [:]
        for key in rules.experiments.map(\.key) + rules.deliveries.map(\.key) {
            scopes[key] = CompiledRuleScope(
                environment: environment.key, flag: identified, rule: key, lockedEnvironment: lockedEnvironment,
                lockedFlag: identified.lockedKey, lockedRule: history[key])
        }
        var experimentIDs: [String] = []
        for experiment in rules.experiments {
            guard let scope = scopes[experiment.key] else { continue }
            let compiled = compile(experiment, in: scope, isPresent: rules.isEnabled)
            if rules.isEnabled { experimentIDs.append(compiled.id) }
        }
        let rolloutID = compileRollout(rules, of: identified, scopes)
        return .object(
            [
                "id": .string(identified.id),
                "key": .string(flag.key),
                "rolloutId": .string(rolloutID),
                "experimentIds": .strings(experimentIDs),
                "variables": .list(flag.variables.map { Self.node($0, identified.variableIDs) }),
            ], verbatim: flag.verbatim)
    }

    private static func node(_ variable: AuthoredVariable, _ ids: [String: String]) -> Node {
        let isJSON = variable.type == .json
        return .object(
            [
                "id": .string(ids[variable.key] ?? ""),
                "key": .string(variable.key),
                "type": .string(isJSON ? "string" : variable.type.rawValue),
                "subType": isJSON ? .string("json") : nil,
                "defaultValue": .string(variable.defaultValue),
            ], verbatim: variable.verbatim)
    }

    /// The keys that the rules of a flag, or those without one, have in the lock.
    mutating func history(
        of rules: [(key: String, formerKey: String?, origin: SourceOrigin)], inside lockedFlag: String?
    ) -> LockedKeys {
        compilation.history(of: rules, .rule, inside: locked(lockedFlag))
    }

    /// The keys in the lock of what contains the rules of a flag, or nil if it is new.
    private func locked(_ lockedFlag: String?) -> [String]? {
        guard let lockedEnvironment, let lockedFlag else { return nil }
        return [lockedEnvironment, lockedFlag]
    }

    // MARK: Rollouts

    /// Compiles the deliveries of a flag, and returns the id of their rollout; empty without deliveries.
    private mutating func compileRollout(
        _ rules: AuthoredRules, of identified: IdentifiedFlag, _ scopes: [String: CompiledRuleScope]
    ) -> String {
        guard rules.hasRollout else { return "" }
        let id = compilation.lock.id(
            EntityPath(.rollout, environment.key, identified.flag.key),
            lockedAs: locked(identified.lockedKey).map { EntityPath(.rollout, $0) },
            prefix: "rollout-\(identified.id)-")
        var nodes: [Node] = []
        for delivery in rules.deliveries {
            guard let scope = scopes[delivery.key] else { continue }
            let node = compile(delivery, in: scope, isPresent: rules.isEnabled && delivery.isEnabled)
            if let node { nodes.append(node) }
        }
        if rules.isEnabled {
            if let rule = rules.everyoneElse { nodes.append(compile(rule, of: identified, rolloutID: id)) }
        } else {
            var off = EveryoneElse()
            off.verbatim = rules.everyoneElse?.identityMembers ?? [:]
            nodes.append(compile(off, of: identified, rolloutID: id))
        }
        rollouts.append(.object(["id": .string(id), "experiments": .list(nodes)], verbatim: rules.verbatim))
        return id
    }

    /// The last rule of a rollout. Its ids are those in the lock if the project was imported; otherwise they are
    /// spelled as the vendor spells them.
    private mutating func compile(
        _ rule: EveryoneElse, of identified: IdentifiedFlag, rolloutID: String
    ) -> Node {
        guard let (variation, variationID) = identified.variations[rule.variation] else {
            reportUnknownVariation(rule.variation, of: identified.flag.key, at: rule.origin)
            return .object([:])
        }
        let node = node(variation, id: variationID, variableIDs: identified.variableIDs, of: identified.flag.key)
        let range = TrafficAllocation.Range(rule.variation, end: Bucketing.bucketCount)
        let id = lockedID(.rule, ofEveryoneElseIn: identified) ?? "default-\(rolloutID)"
        let layerID = lockedID(.layer, ofEveryoneElseIn: identified) ?? "default-layer-\(rolloutID)"
        return .object(
            [
                "id": .string(id),
                "key": .string(id),
                "layerId": .string(layerID),
                "status": .string(Rule.Status.running.rawValue),
                "audienceIds": .list([]),
                "audienceConditions": .list([]),
                "variations": .list([node]),
                "trafficAllocation": Self.node(TrafficAllocation([range])) { _ in variationID },
                "forcedVariations": .object([:]),
            ], verbatim: rule.verbatim)
    }

    /// The id that the lock has for the rule for everyone else, whose key in paths is empty.
    private mutating func lockedID(_ kind: EntityPath.Kind, ofEveryoneElseIn flag: IdentifiedFlag) -> String? {
        guard let lockedKeys = locked(flag.lockedKey) else { return nil }
        let lockedPath = EntityPath(kind, lockedKeys + [""])
        guard compilation.lock.isLocked(lockedPath) else { return nil }
        return compilation.lock.id(EntityPath(kind, environment.key, flag.flag.key, ""), lockedAs: lockedPath)
    }
}

extension AuthoredRules {
    /// Whether the datafile has a rollout for them.
    var hasRollout: Bool { everyoneElse != nil || !deliveries.isEmpty || !isEnabled }
}

extension EveryoneElse {
    /// The ids that a flag keeps while it is disabled.
    fileprivate var identityMembers: [String: JSONValue] {
        verbatim.filter { ["id", "key", "layerId"].contains($0.key) }
    }
}
