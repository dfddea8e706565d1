import TurnoutEngine

/// The keys that parts of a project have after an edit, by those they had before it.
struct Renames {
    private typealias Keys = [String: String]

    private let attributes: Keys
    private let events: Keys
    private let metrics: Keys
    private let audiences: Keys
    private let flags: Keys
    /// By the flag's key before the edit.
    private let insideFlags: [String: InsideFlag]

    /// The keys of the parts of a flag.
    private struct InsideFlag {
        var variables: Keys
        var variations: Keys
        var rules: Keys

        init(from old: AuthoredFlag, to new: AuthoredFlag) {
            variables = PartPairs(old.variables, new.variables).renames
            variations = PartPairs(old.variations, new.variations).renames
            rules = [:]
            for environment in Set(old.rulesByEnvironment.keys).union(new.rulesByEnvironment.keys).union([""]) {
                let (before, after) = (old.rules(in: environment), new.rules(in: environment))
                rules.merge(PartPairs(before.experiments, after.experiments).renames) { first, _ in first }
                rules.merge(PartPairs(before.deliveries, after.deliveries).renames) { first, _ in first }
            }
        }
    }

    init(from old: AuthoredProject, to new: AuthoredProject) {
        attributes = PartPairs(old.attributes, new.attributes).renames
        events = PartPairs(old.events, new.events).renames
        metrics = PartPairs(old.metrics, new.metrics).renames
        audiences = PartPairs(old.audiences, new.audiences).renames
        let parts = PartPairs(old.flags, new.flags)
        flags = parts.renames
        insideFlags = Dictionary(
            parts.common.map { ($0.before.key, InsideFlag(from: $0.before, to: $0.after)) }
        ) { first, _ in first }
    }

    // MARK: Applying

    /// A project that refers to its parts by their keys after the edit. The parts themselves keep their keys.
    func applied(to project: AuthoredProject) -> AuthoredProject {
        var project = project
        for index in project.metrics.indices { Self.rename(&project.metrics[index].metric.event, events) }
        for index in project.audiences.indices { apply(to: &project.audiences[index].condition) }
        for index in project.flags.indices { apply(to: &project.flags[index]) }
        for index in project.experiments.indices { apply(to: &project.experiments[index], variations: [:]) }
        for group in project.groups.indices {
            for member in project.groups[group].members.indices {
                apply(to: &project.groups[group].members[member].experiment)
            }
        }
        for holdout in project.holdouts.indices {
            apply(to: &project.holdouts[holdout].audience)
            for rule in project.holdouts[holdout].rules.indices { apply(to: &project.holdouts[holdout].rules[rule]) }
        }
        return project
    }

    private func apply(to flag: inout AuthoredFlag) {
        guard let inside = insideFlags[flag.key] else { return }
        for variation in flag.variations.indices {
            for index in flag.variations[variation].overrides.indices {
                Self.rename(&flag.variations[variation].overrides[index].variable, inside.variables)
            }
        }
        apply(to: &flag.rules, inside.variations)
        for environment in flag.rulesByEnvironment.keys {
            guard var rules = flag.rulesByEnvironment[environment] else { continue }
            apply(to: &rules, inside.variations)
            flag.rulesByEnvironment[environment] = rules
        }
    }

    private func apply(to rules: inout AuthoredRules, _ variations: Keys) {
        for index in rules.experiments.indices { apply(to: &rules.experiments[index], variations: variations) }
        for index in rules.deliveries.indices {
            apply(to: &rules.deliveries[index].audience)
            // Variations of the rule alone replace those of the flag.
            guard rules.deliveries[index].variations.isEmpty else { continue }
            Self.rename(&rules.deliveries[index].variation, variations)
        }
        if var everyoneElse = rules.everyoneElse {
            Self.rename(&everyoneElse.variation, variations)
            rules.everyoneElse = everyoneElse
        }
    }

    private func apply(to experiment: inout AuthoredExperiment, variations: Keys) {
        apply(to: &experiment.audience)
        if case .bandit(let keys) = experiment.kind {
            experiment.kind = .bandit(attributes: keys.map { attributes[$0] ?? $0 })
        }
        for index in experiment.metrics.indices {
            Self.rename(&experiment.metrics[index].event, events)
            experiment.metrics[index].name = experiment.metrics[index].name.map { metrics[$0] ?? $0 }
        }
        guard experiment.variations.isEmpty else { return }
        for index in experiment.split.indices { Self.rename(&experiment.split[index].variation, variations) }
        for index in experiment.allowList.indices { Self.rename(&experiment.allowList[index].variation, variations) }
    }

    private func apply(to reference: inout RuleReference) {
        guard let flag = reference.flag else { return }
        Self.rename(&reference.rule, insideFlags[flag]?.rules ?? [:])
        reference.flag = flags[flag] ?? flag
    }

    private func apply(to condition: inout AuthoredCondition?) {
        guard var renamed = condition else { return }
        apply(to: &renamed)
        condition = renamed
    }

    private func apply(to condition: inout AuthoredCondition) { condition = renamed(condition) }

    private func renamed(_ condition: AuthoredCondition) -> AuthoredCondition {
        switch condition {
        case .all(let operands): return .all(operands.map(renamed))
        case .any(let operands): return .any(operands.map(renamed))
        case .not(let operand): return .not(renamed(operand))
        case .audience(let key, let origin): return .audience(audiences[key] ?? key, origin)
        case .attribute(var test):
            Self.rename(&test.attribute, attributes)
            return .attribute(test)
        case .segment, .verbatim: return condition
        }
    }

    private static func rename(_ key: inout String, _ keys: Keys) { key = keys[key] ?? key }
}
