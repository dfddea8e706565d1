import TurnoutEngine

extension ProjectLint {
    /// Findings about conditions that are always or never met, and attributes of several types.
    var audienceFindings: [LintFinding] {
        project.audiences.filter { !$0.verbatim.replaces("conditions") }.flatMap { audience -> [LintFinding] in
            finding(in: audience.condition, "audience \(audience.key)", audience.origin, audience.ignoredFindings)
        } + ruleConditions.flatMap { finding(in: $0.condition, $0.name, $0.origin, $0.ignored) } + mixedTypes
    }

    /// The conditions of rules and holdouts that are not just the name of an audience.
    private var ruleConditions:
        [(condition: AuthoredCondition, name: String, origin: SourceOrigin, ignored: [IgnoredFinding])]
    {
        let flags = project.flags.flatMap { flag in
            rules(of: flag).flatMap { entry in
                entry.rules.experiments.map { ($0.audience, $0.name(in: flag), $0.origin, $0.ignoredFindings) }
                    + entry.rules.deliveries.map { ($0.audience, $0.name(in: flag), $0.origin, $0.ignoredFindings) }
            }
        }
        let experiments = project.experiments.map { ($0.audience, $0.name(in: nil), $0.origin, $0.ignoredFindings) }
        let holdouts = project.holdouts.map { ($0.audience, "holdout \($0.key)", $0.origin, $0.ignoredFindings) }
        return (flags + experiments + holdouts).compactMap { condition, name, origin, ignored in
            guard let condition else { return nil }
            if case .audience = condition { return nil }
            return (condition, name, origin, ignored)
        }
    }

    private func finding(
        in condition: AuthoredCondition, _ name: String, _ origin: SourceOrigin, _ ignored: [IgnoredFinding]
    ) -> [LintFinding] {
        if analysis.isNeverMet(condition) {
            return [LintFinding(.audienceNeverMet, "no user meets \(name)", at: origin, ignored: ignored)]
        }
        if analysis.isAlwaysMet(condition) {
            return [LintFinding(.audienceAlwaysMet, "every user meets \(name)", at: origin, ignored: ignored)]
        }
        return []
    }

    private var mixedTypes: [LintFinding] {
        let tests =
            project.audiences.filter { !$0.verbatim.replaces("conditions") }.flatMap { audience in
                audience.condition.attributeTests.map { ($0, audience.ignoredFindings) }
            } + ruleConditions.flatMap { rule in rule.condition.attributeTests.map { ($0, rule.ignored) } }
        var kinds: [String: [AttributeTest.ValueKind]] = [:]
        return tests.compactMap { test, ignored in
            guard let kind = test.valueKind else { return nil }
            let earlier = kinds[test.attribute, default: []]
            guard !earlier.contains(kind) else { return nil }
            kinds[test.attribute, default: []].append(kind)
            guard let other = earlier.first(where: { !$0.canBe(kind) }) else { return nil }
            return LintFinding(
                .attributeMixedTypes,
                "attribute \(test.attribute) is compared as a \(kind.rawValue) here, and as a \(other.rawValue) before",
                at: test.origin, ignored: ignored)
        }
    }
}

extension AttributeTest {
    /// The type of value that a test can be met by.
    enum ValueKind: String {
        case string
        case number
        case boolean
        case version

        /// Whether one value can be of both kinds.
        func canBe(_ other: ValueKind) -> Bool {
            self == other || Set([self, other]) == [.string, .version]
        }
    }

    fileprivate var valueKind: ValueKind? {
        if match.rawValue.hasPrefix("semver") { return .version }
        return switch value {
        case .string: .string
        case .integer, .double: .number
        case .bool: .boolean
        default: nil
        }
    }
}
