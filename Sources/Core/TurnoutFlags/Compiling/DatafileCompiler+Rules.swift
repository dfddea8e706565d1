import TurnoutEngine

/// Where a rule belongs, with the keys that lead to it now and in the lock.
struct CompiledRuleScope {
    let environment: String
    /// The flag, or nil for an experiment without one.
    let flag: IdentifiedFlag?
    let rule: String
    let lockedEnvironment: String?
    let lockedFlag: String?
    let lockedRule: String?

    var reference: RuleReference { RuleReference(flag: flag?.flag.key, rule: rule) }
    /// The name in messages and of the rule's audience.
    var name: String { (flag.map { "\($0.flag.key)/" } ?? "") + rule }
    var keys: [String] { [environment, flag?.flag.key ?? "", rule] }
    var lockedReference: RuleReference? {
        guard let lockedFlag, let lockedRule else { return nil }
        return RuleReference(flag: flag == nil ? nil : lockedFlag, rule: lockedRule)
    }
    var lockedKeys: [String]? {
        guard let lockedEnvironment, let lockedFlag, let lockedRule else { return nil }
        return [lockedEnvironment, lockedFlag, lockedRule]
    }

    func path(_ kind: EntityPath.Kind) -> EntityPath { EntityPath(kind, keys) }
    func lockedPath(_ kind: EntityPath.Kind) -> EntityPath? { lockedKeys.map { EntityPath(kind, $0) } }
}

extension DatafileCompiler {
    /// Compiles the experiments without a flag.
    mutating func compileExperimentsWithoutFlag() {
        let history = history(of: project.experiments.map { ($0.key, $0.formerKey, $0.origin) }, inside: "")
        for experiment in project.experiments {
            let scope = CompiledRuleScope(
                environment: environment.key, flag: nil, rule: experiment.key, lockedEnvironment: lockedEnvironment,
                lockedFlag: "", lockedRule: history[experiment.key])
            _ = compile(experiment, in: scope, isPresent: true)
        }
    }

    /// Compiles an experiment, and adds it to the datafile if `isPresent`.
    mutating func compile(
        _ experiment: AuthoredExperiment, in scope: CompiledRuleScope, isPresent: Bool
    ) -> CompiledExperiment {
        let rule = identify(experiment.variations, in: scope, carriedID: experiment.verbatim.carriedID)
        let keys = Set(experiment.split.map(\.variation) + experiment.allowList.map(\.variation))
        let bandit = bandit(experiment)
        let allocation =
            bandit == nil
            ? allocate(experiment.traffic, experiment.split, in: scope, rule)
            : compilation.lock.keptAllocation(
                scope.path(.rule), lockedAs: scope.lockedPath(.rule), presentKey: rule.presentKey)
        let condition = compile(
            experiment.audience, of: "rule \(scope.name)", keys: scope.keys, lockedKeys: scope.lockedKeys,
            at: experiment.origin, isPresent: isPresent)
        let type = experiment.type
        let node = Node.object(
            [
                "id": .string(rule.id),
                "key": .string(experiment.key),
                "layerId": .string(rule.layerID),
                "status": .string(experiment.status.rawValue),
                "type": type == .unspecified ? nil : .string(type.rawValue),
                "audienceIds": condition.idsNode,
                "audienceConditions": condition.node,
                "variations": .list(nodes(keys.sortedByBytes(of: \.self), of: rule, in: scope, at: experiment.origin)),
                "trafficAllocation": Self.node(allocation) { keys.contains($0) ? rule[$0]?.id : nil },
                "forcedVariations": Node(.object(experiment.forcedVariations)),
                "cmab": bandit,
            ], verbatim: experiment.verbatim)
        let compiled = CompiledExperiment(
            reference: scope.reference, id: rule.id, node: node, events: Set(experiment.metrics.map(\.event)))
        reportUnknownEvents(of: experiment)
        if isPresent {
            experiments.append(compiled)
            ruleIDs[scope.reference] = rule.id
            designs[rule.id] = experiment.design
        }
        return compiled
    }

    private mutating func reportUnknownEvents(of experiment: AuthoredExperiment) {
        for metric in experiment.metrics where compilation.eventIDs[metric.event] == nil {
            compilation.report(.unknownEvent, "there is no event \"\(metric.event)\"", at: metric.origin)
        }
    }

    /// Compiles a delivery; nil if it is not in the datafile.
    mutating func compile(_ delivery: AuthoredDelivery, in scope: CompiledRuleScope, isPresent: Bool) -> Node? {
        let rule = identify(delivery.variations, in: scope, carriedID: delivery.verbatim.carriedID)
        let split = [SplitShare(delivery.variation, weight: 1)]
        let allocation = allocate(delivery.traffic, split, in: scope, rule)
        let condition = compile(
            delivery.audience, of: "rule \(scope.name)", keys: scope.keys, lockedKeys: scope.lockedKeys,
            at: delivery.origin, isPresent: isPresent)
        let variations = nodes([delivery.variation], of: rule, in: scope, at: delivery.origin)
        guard isPresent else { return nil }
        ruleIDs[scope.reference] = rule.id
        return .object(
            [
                "id": .string(rule.id),
                "key": .string(delivery.key),
                "layerId": .string(rule.layerID),
                "status": .string(Rule.Status.running.rawValue),
                "audienceIds": condition.idsNode,
                "audienceConditions": condition.node,
                "variations": .list(variations),
                "trafficAllocation": Self.node(allocation) { rule[$0]?.id },
                "forcedVariations": .object([:]),
            ], verbatim: delivery.verbatim)
    }

    private mutating func bandit(_ experiment: AuthoredExperiment) -> Node? {
        guard case .bandit(let attributes) = experiment.kind else { return nil }
        var ids: [String] = []
        for attribute in attributes {
            if let id = compilation.attributeIDs[attribute] {
                ids.append(id)
            } else {
                compilation.report(
                    .unknownAttribute, "there is no attribute \"\(attribute)\"", at: experiment.origin)
            }
        }
        // The vendor's clients read a single end here, so a bandit always has the buckets from 0.
        return .object(["attributeIds": .strings(ids), "trafficAllocation": .integer(experiment.traffic.buckets)])
    }

    // MARK: Variations and traffic

    /// A rule's ids, and the variations that it may name: its own before those of the flag.
    struct IdentifiedRule {
        let id: String
        let layerID: String
        let own: IdentifiedVariations
        let shared: IdentifiedVariations

        subscript(key: String) -> (variation: AuthoredVariation, id: String)? { own[key] ?? shared[key] }

        /// The present key of a variation for the one in the lock.
        func presentKey(_ locked: String) -> String {
            own.presentKeys[locked] ?? shared.presentKeys[locked] ?? locked
        }
    }

    private mutating func identify(
        _ variations: [AuthoredVariation], in scope: CompiledRuleScope, carriedID: String?
    ) -> IdentifiedRule {
        knownRules.insert(scope.reference)
        if let locked = scope.lockedReference, locked != scope.reference {
            renamedRules[locked.lockKey] = scope.reference.lockKey
        }
        let id = compilation.lock.id(scope.path(.rule), lockedAs: scope.lockedPath(.rule))
        return IdentifiedRule(
            id: carriedID ?? id,
            layerID: compilation.lock.id(scope.path(.layer), lockedAs: scope.lockedPath(.layer)),
            own: compilation.identify(variations, inside: scope.keys, lockedAs: scope.lockedKeys),
            shared: scope.flag?.variations ?? IdentifiedVariations())
    }

    private mutating func allocate(
        _ share: TrafficShare, _ split: [SplitShare], in scope: CompiledRuleScope, _ rule: IdentifiedRule
    ) -> TrafficAllocation {
        compilation.lock.allocation(
            scope.path(.rule), lockedAs: scope.lockedPath(.rule), presentKey: rule.presentKey
        ) { $0.targets(of: share, by: split.map { ($0.variation, $0.weight) }) }
    }

    /// The variations with these keys.
    private mutating func nodes(
        _ keys: [String], of rule: IdentifiedRule, in scope: CompiledRuleScope, at origin: SourceOrigin
    ) -> [Node] {
        var nodes: [Node] = []
        for key in keys {
            guard let (variation, id) = rule[key] else {
                reportUnknownVariation(key, of: scope.name, at: origin)
                continue
            }
            nodes.append(
                node(variation, id: id, variableIDs: scope.flag?.variableIDs ?? [:], of: scope.name))
        }
        return nodes
    }

    /// A variation of a flag, a rule or a holdout with this name.
    mutating func node(
        _ variation: AuthoredVariation, id: String, variableIDs: [String: String], of name: String
    ) -> Node {
        var overrides: [Node] = []
        for override in variation.overrides {
            guard let id = variableIDs[override.variable] else {
                compilation.report(
                    .unknownVariable,
                    "the variation \"\(variation.key)\" of \(name) has a value for \"\(override.variable)\", which "
                        + "is not a variable of the flag", at: override.origin)
                continue
            }
            overrides.append(.object(["id": .string(id), "value": .string(override.value)]))
        }
        return .object(
            [
                "id": .string(id),
                "key": .string(variation.key),
                "featureEnabled": variation.isEnabled.map(Node.bool),
                "variables": .list(overrides),
            ], verbatim: variation.verbatim)
    }

    mutating func reportUnknownVariation(_ key: String, of name: String, at origin: SourceOrigin) {
        compilation.report(.unknownVariation, "\(name) has no variation \"\(key)\"", at: origin)
    }

    /// The ranges of an allocation, with the ids of their keys.
    static func node(_ allocation: TrafficAllocation, id: (String) -> String?) -> Node {
        .list(
            allocation.ranges.map { range in
                .object(["entityId": .string(id(range.key) ?? ""), "endOfRange": .integer(range.end)])
            })
    }
}

extension AuthoredExperiment {
    /// The type in the datafile.
    fileprivate var type: Rule.ExperimentType {
        switch kind {
        case .split(let type): type
        case .bandit: .contextualBandit
        case .rollout: .featureRollout
        }
    }

    /// The keys of the variations of the users on the allow list.
    fileprivate var forcedVariations: [String: JSONValue] {
        var variations: [String: JSONValue] = [:]
        for entry in allowList {
            for user in entry.userIDs where variations[user] == nil { variations[user] = .string(entry.variation) }
        }
        return variations
    }
}
