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
