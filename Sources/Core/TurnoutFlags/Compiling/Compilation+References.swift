import TurnoutEngine

extension Compilation {
    /// Reports rules that groups and holdouts name but that the project does not have.
    mutating func reportUnknownRules() {
        var experiments = Set(project.experiments.map { RuleReference(flag: nil, rule: $0.key) })
        var deliveries: Set<RuleReference> = []
        for flag in project.flags {
            for rules in [flag.rules] + flag.rulesByEnvironment.values {
                experiments.formUnion(rules.experiments.map { RuleReference(flag: flag.key, rule: $0.key) })
                deliveries.formUnion(rules.deliveries.map { RuleReference(flag: flag.key, rule: $0.key) })
            }
        }
        for group in project.groups {
            for member in group.members where !experiments.contains(member.experiment) {
                let name = member.experiment.name
                report(
                    "unknown-rule", "the group \"\(group.key)\" names \(name), which is not an experiment",
                    at: member.experiment.origin)
            }
        }
        for holdout in project.holdouts {
            for rule in holdout.rules where !experiments.contains(rule) && !deliveries.contains(rule) {
                report(
                    "unknown-rule", "the holdout \"\(holdout.key)\" names \(rule.name), which does not exist",
                    at: rule.origin)
            }
        }
    }
}
