/// The order in which a project is compiled.
///
/// The order of rules and holdouts has a meaning: the first that applies decides. So has that of the operands of a
/// condition, of the metrics of an experiment, and of SDK keys. All other parts are compiled in the order of the bytes
/// of their keys, so that a file with its parts moved compiles to the same datafiles and the same lock.
extension AuthoredProject {
    var inCanonicalOrder: AuthoredProject {
        var project = self
        project.attributes = attributes.sortedByBytes(of: \.key)
        project.events = events.sortedByBytes(of: \.key)
        project.audiences = audiences.sortedByBytes(of: \.key)
        project.flags = flags.sortedByBytes(of: \.key).map(\.inCanonicalOrder)
        project.experiments = experiments.sortedByBytes(of: \.key).map(\.inCanonicalOrder)
        project.groups = groups.sortedByBytes(of: \.key).map(\.inCanonicalOrder)
        project.holdouts = holdouts.map(\.inCanonicalOrder)
        return project
    }
}

extension AuthoredFlag {
    fileprivate var inCanonicalOrder: AuthoredFlag {
        var flag = self
        flag.variables = variables.sortedByBytes(of: \.key)
        flag.variations = variations.inCanonicalOrder
        flag.rules = rules.inCanonicalOrder
        flag.rulesByEnvironment = rulesByEnvironment.mapValues(\.inCanonicalOrder)
        return flag
    }
}

extension AuthoredRules {
    fileprivate var inCanonicalOrder: AuthoredRules {
        var rules = self
        rules.experiments = experiments.map(\.inCanonicalOrder)
        for index in deliveries.indices {
            rules.deliveries[index].variations = deliveries[index].variations.inCanonicalOrder
        }
        return rules
    }
}

extension AuthoredExperiment {
    fileprivate var inCanonicalOrder: AuthoredExperiment {
        var experiment = self
        if case .bandit(let attributes) = kind {
            experiment.kind = .bandit(attributes: attributes.sortedByBytes(of: \.self))
        }
        experiment.fileOrder = split.map(\.variation)
        experiment.split = split.sortedByBytes(of: \.variation)
        experiment.variations = variations.inCanonicalOrder
        experiment.allowList = allowList.sortedByBytes(of: \.variation)
        return experiment
    }
}

extension AuthoredGroup {
    fileprivate var inCanonicalOrder: AuthoredGroup {
        var group = self
        group.members = members.sortedByBytes { $0.experiment.lockKey }
        return group
    }
}

extension AuthoredHoldout {
    fileprivate var inCanonicalOrder: AuthoredHoldout {
        var holdout = self
        holdout.split = split.sortedByBytes(of: \.variation)
        holdout.variations = variations.inCanonicalOrder
        holdout.rules = rules.sortedByBytes(of: \.lockKey)
        return holdout
    }
}

extension [AuthoredVariation] {
    fileprivate var inCanonicalOrder: [AuthoredVariation] {
        sortedByBytes(of: \.key).map { variation in
            var variation = variation
            variation.overrides = variation.overrides.sortedByBytes(of: \.variable)
            return variation
        }
    }
}

extension Sequence {
    /// The elements in the order of the bytes of a string; those with the same string keep their order.
    func sortedByBytes(of key: (Element) -> String) -> [Element] {
        sorted { key($0).utf8.lexicographicallyPrecedes(key($1).utf8) }
    }
}

extension AuthoredProject {
    /// Where the part with a path is written, or nil if the project has no such part.
    func place(of path: EntityPath) -> SourceOrigin? {
        let keys = path.keys
        switch (path.kind, keys.count) {
        case (.project, 0): return origin
        case (.attribute, 1): return attributes.first { $0.key == keys[0] }?.origin
        case (.event, 1): return events.first { $0.key == keys[0] }?.origin
        case (.audience, 1): return audiences.first { $0.key == keys[0] }?.origin
        case (.flag, 1): return flag(keys[0])?.origin
        case (.variable, 2): return flag(keys[0])?.variables.first { $0.key == keys[1] }?.origin
        case (.variation, 2): return flag(keys[0])?.placeOfVariation(keys[1])
        case (.rollout, 2): return hasEnvironment(keys[0]) ? flag(keys[1])?.origin : nil
        case (.rule, 3), (.layer, 3), (.audience, 3): return rule(keys[2], of: keys[1], in: keys[0])?.origin
        case (.variation, 4):
            return rule(keys[2], of: keys[1], in: keys[0])?.variations.first { $0.key == keys[3] }?.origin
        case (.group, 2): return hasEnvironment(keys[0]) ? groups.first { $0.key == keys[1] }?.origin : nil
        case (.holdout, 2), (.audience, 2): return holdout(keys[1], in: keys[0])?.origin
        case (.variation, 3): return holdout(keys[1], in: keys[0])?.variations.first { $0.key == keys[2] }?.origin
        default: return nil
        }
    }

    private func hasEnvironment(_ key: String) -> Bool { environments.contains { $0.key == key } }

    private func flag(_ key: String) -> AuthoredFlag? { flags.first { $0.key == key } }

    private func holdout(_ key: String, in environment: String) -> AuthoredHoldout? {
        hasEnvironment(environment) ? holdouts.first { $0.key == key } : nil
    }

    /// A rule of a flag, or without one if its key is empty. The rule for everyone else has an empty key.
    private func rule(
        _ key: String, of flagKey: String, in environment: String
    ) -> (origin: SourceOrigin, variations: [AuthoredVariation])? {
        guard hasEnvironment(environment) else { return nil }
        guard !flagKey.isEmpty else {
            return experiments.first { $0.key == key }.map { ($0.origin, $0.variations) }
        }
        guard let flag = flag(flagKey) else { return nil }
        let rules = flag.rules(in: environment)
        if key.isEmpty { return (rules.everyoneElse?.origin ?? flag.origin, []) }
        return rules.experiments.first { $0.key == key }.map { ($0.origin, $0.variations) }
            ?? rules.deliveries.first { $0.key == key }.map { ($0.origin, $0.variations) }
    }
}

extension AuthoredFlag {
    /// Where a variation is written; `off` may be written nowhere.
    fileprivate func placeOfVariation(_ key: String) -> SourceOrigin? {
        variations.first { $0.key == key }?.origin ?? (key == AuthoredVariation.offKey ? origin : nil)
    }
}

extension AuthoredVariable {
    /// The path in the lock.
    package func path(in flag: AuthoredFlag) -> EntityPath { EntityPath(.variable, flag.key, key) }
}
