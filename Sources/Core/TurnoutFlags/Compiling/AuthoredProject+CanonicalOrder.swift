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
