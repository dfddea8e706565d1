extension AuthoredProject {
    /// The project without what the vendor's Python client is known to treat differently: see `Tests/Differential`,
    /// which avoids the same. Bandits would ask a server.
    var comparable: AuthoredProject {
        var project = self
        let conditions = ComparableConditions(audiences: audiences)
        for index in project.audiences.indices {
            project.audiences[index].condition = conditions.comparable(audiences[index].condition)
        }
        for index in project.flags.indices {
            project.flags[index].rules.makeComparable(conditions)
            for environment in project.flags[index].rulesByEnvironment.keys {
                project.flags[index].rulesByEnvironment[environment]?.makeComparable(conditions)
            }
            project.flags[index].makeValuesComparable()
        }
        for index in project.experiments.indices { project.experiments[index].makeComparable(conditions) }
        for index in project.holdouts.indices {
            project.holdouts[index].audience = holdouts[index].audience.map(conditions.comparable)
            // The Python client drops the variables of enabled holdout variations.
            for variation in holdouts[index].variations.indices {
                project.holdouts[index].variations[variation].isEnabled = false
            }
        }
        return project
    }
}

extension AuthoredRules {
    fileprivate mutating func makeComparable(_ conditions: ComparableConditions) {
        for index in experiments.indices { experiments[index].makeComparable(conditions) }
        for index in deliveries.indices {
            deliveries[index].audience = deliveries[index].audience.map(conditions.comparable)
            deliveries[index].variations.makeComparable()
        }
    }
}

extension AuthoredExperiment {
    fileprivate mutating func makeComparable(_ conditions: ComparableConditions) {
        audience = audience.map(conditions.comparable)
        variations.makeComparable()
        if case .bandit = kind { kind = .split(type: .multiArmedBandit) }
        // Of two variations of a feature rollout with one key, its own and everyone else's, the Python client takes the
        // latter; the Swift client and Turnout take the former.
        if !variations.isEmpty, kind == .rollout || kind == .split(type: .featureRollout) {
            kind = .split(type: .abTest)
        }
    }
}

extension AuthoredFlag {
    fileprivate mutating func makeValuesComparable() {
        for index in variables.indices { variables[index].defaultValue.makeComparable() }
        variations.makeComparable()
    }
}

extension [AuthoredVariation] {
    fileprivate mutating func makeComparable() {
        for index in indices {
            for override in self[index].overrides.indices { self[index].overrides[override].value.makeComparable() }
        }
    }
}

extension String {
    /// Of duplicate keys in JSON the Python client uses the last.
    fileprivate mutating func makeComparable() { if contains("twice") { self = "{}" } }
}

/// Replaces conditions that the Python client evaluates differently.
private struct ComparableConditions {
    let audiences: [AuthoredAudience]

    func comparable(_ condition: AuthoredCondition) -> AuthoredCondition { comparable(condition, isNegated: false) }

    /// Turnout ends `and` at the first unknown operand, which only shows below `not`.
    private func comparable(_ condition: AuthoredCondition, isNegated: Bool) -> AuthoredCondition {
        switch condition {
        case .all(let operands) where isNegated: return comparable(.any(operands), isNegated: true)
        case .all(let operands), .any(let operands):
            guard !operands.isEmpty else { return .segment("beta", SourceOrigin()) }
            let replaced = operands.map { comparable($0, isNegated: isNegated) }
            if case .all = condition { return .all(replaced) }
            return .any(replaced)
        case .not(let operand): return .not(comparable(operand, isNegated: true))
        case .audience(let key, _) where isNegated:
            guard let audience = audiences.first(where: { $0.key == key }) else { return condition }
            return comparable(audience.condition, isNegated: true)
        case .attribute(let test): return .attribute(comparable(test))
        case .audience, .segment, .verbatim: return condition
        }
    }

    private func comparable(_ test: AttributeTest) -> AttributeTest {
        var test = test
        switch (test.match, test.value) {
        // Only one of both finds the empty string everywhere.
        case (.substring, .string("")): test.value = .string("a")
        // The Python client refuses numbers beyond 2^53, and compares suffixes of versions in another way.
        case (_, .double(let value)) where value > 1e15: test.value = .double(7.5)
        case (.versionEqual, _), (.versionGreater, _), (.versionGreaterOrEqual, _), (.versionLess, _),
            (.versionLessOrEqual, _):
            if case .string(let version)? = test.value, version.contains(where: { "-+".contains($0) }) {
                test.value = .string("4.1")
            }
        default: break
        }
        return test
    }
}
