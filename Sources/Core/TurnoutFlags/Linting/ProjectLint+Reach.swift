import TurnoutEngine

/// Rules that no user reaches, because a rule or a holdout before them takes every user.
extension ProjectLint {
    /// Findings about rules after one that takes every user, or all of theirs.
    func unreachable(
        _ rules: AuthoredRules, of flag: AuthoredFlag, _ environments: [String]
    ) -> [LintFinding] {
        guard !flag.verbatim.replaces("experimentIds", "rolloutId") else { return [] }
        var shadowingRules: [ShadowingRule] = []
        return unreachableExperiments(rules, of: flag, environments, &shadowingRules)
            + unreachableDeliveries(rules, of: flag, environments, shadowingRules)
    }

    /// A rule that lets no user of its audience reach later rules.
    private struct ShadowingRule {
        let name: String
        let audience: AuthoredCondition?
    }

    private func unreachableExperiments(
        _ rules: AuthoredRules, of flag: AuthoredFlag, _ environments: [String], _ shadowingRules: inout [ShadowingRule]
    ) -> [LintFinding] {
        var findings: [LintFinding] = []
        for experiment in rules.experiments where experiment.status == .running {
            // Users of an allow list take part whatever the audience.
            let admitsOthers =
                !experiment.allowList.isEmpty
                || experiment.verbatim.replaces("audienceConditions", "audienceIds", "forcedVariations")
            if let reason = reason(for: admitsOthers ? nil : experiment.audience, after: shadowingRules) {
                findings.append(
                    LintFinding(
                        .ruleUnreachable, "\(experiment.name(in: flag)) never applies: \(reason)",
                        at: experiment.origin, in: environments, ignored: experiment.ignoredFindings))
            }
            guard takesItsUsers(experiment, in: rules, of: flag) else { continue }
            shadowingRules.append(ShadowingRule(name: "experiment \(experiment.key)", audience: experiment.audience))
        }
        return findings
    }

    private func unreachableDeliveries(
        _ rules: AuthoredRules, of flag: AuthoredFlag, _ environments: [String], _ shadowingRules: [ShadowingRule]
    ) -> [LintFinding] {
        var findings: [LintFinding] = []
        var shadowingRules = shadowingRules
        let last = rules.everyoneElse == nil ? rules.deliveries.lastIndex(where: \.isEnabled) : nil
        // Users outside the traffic of a rule go past all rules between to the one for everyone else, here the last.
        var isPassed = rules.experiments.contains {
            $0.kind == .rollout && ($0.traffic != .all || !$0.verbatim.isEmpty)
        }
        var blockersOfLast = isPassed ? [] : shadowingRules
        for (index, delivery) in rules.deliveries.enumerated() where delivery.isEnabled {
            let hasCarriedAudience = delivery.verbatim.replaces("audienceConditions", "audienceIds")
            let earlier = index == last ? blockersOfLast : shadowingRules
            if let reason = reason(for: hasCarriedAudience ? nil : delivery.audience, after: earlier) {
                findings.append(
                    LintFinding(
                        .ruleUnreachable, "\(delivery.name(in: flag)) never applies: \(reason)",
                        at: delivery.origin, in: environments, ignored: delivery.ignoredFindings))
            }
            if delivery.traffic != .all || !delivery.verbatim.isEmpty { isPassed = true }
            guard !hasCarriedAudience else { continue }
            shadowingRules.append(ShadowingRule(name: "delivery \(delivery.key)", audience: delivery.audience))
            if !isPassed { blockersOfLast = shadowingRules }
        }
        return findings
    }

    /// Why no user reaches a rule for an audience; nil if some may. The audience is nil if it is not known.
    private func reason(for audience: AuthoredCondition?, after shadowingRules: [ShadowingRule]) -> String? {
        if let shadowingRule = shadowingRules.first(where: { analysis.includesEveryone($0.audience) }) {
            return "\(shadowingRule.name) before it takes every user"
        }
        guard let audience else { return nil }
        let shadowingRule = shadowingRules.first { shadowingRule in
            shadowingRule.audience.map { analysis.implies(audience, $0) } ?? false
        }
        return shadowingRule.map { "\($0.name) before it takes all of its users" }
    }

    private func takesItsUsers(
        _ experiment: AuthoredExperiment, in rules: AuthoredRules, of flag: AuthoredFlag
    ) -> Bool {
        // A bandit without a prediction is skipped.
        if case .bandit = experiment.kind { return false }
        let isWhole = experiment.traffic == .all || (experiment.kind == .rollout && rules.servesEveryoneElse)
        return isWhole
            && !experiment.verbatim.replaces(
                "audienceConditions", "audienceIds", "trafficAllocation", "status", "variations", "cmab", "id")
            && !sharedRules.contains(RuleReference(flag: flag.key, rule: experiment.key))
    }

    /// The last deliveries that serve what everyone else gets.
    func redundant(_ rules: AuthoredRules, of flag: AuthoredFlag, _ environments: [String]) -> [LintFinding] {
        rules.deliveries.reversed().prefix { delivery in
            let reference = RuleReference(flag: flag.key, rule: delivery.key)
            // A holdout can take users of this rule alone.
            return delivery.variations.isEmpty && delivery.isEnabled && delivery.verbatim.isEmpty
                && delivery.variation == rules.everyoneElse?.variation
                && !project.holdouts.contains { $0.rules.contains(reference) }
        }.map {
            LintFinding(
                .deliveryRedundant, "\($0.name(in: flag)) serves \($0.variation), which everyone else gets, too",
                at: $0.origin, in: environments, ignored: $0.ignoredFindings)
        }
    }

    /// Findings about holdouts that take no user.
    var emptyHoldoutFindings: [LintFinding] {
        project.holdouts.filter {
            $0.status == .running && $0.traffic.buckets == 0 && !$0.verbatim.replaces("trafficAllocation")
        }.map {
            LintFinding(
                .trafficZero, "holdout \($0.key) has no traffic", at: $0.origin, ignored: $0.ignoredFindings)
        }
    }

    /// Findings about holdouts that take every user. One finding stands for all rules that they keep from applying.
    var holdoutFindings: [LintFinding] {
        project.holdouts.filter(takesEveryone).map { holdout in
            let rules =
                holdout.rules.isEmpty ? "no rule of any flag applies" : "\(Self.list(holdout.rules)) never applies"
            return LintFinding(
                .ruleUnreachable, "\(rules): holdout \(holdout.key) takes every user", at: holdout.origin,
                in: holdout.environments.isEmpty ? project.environments.map(\.key) : holdout.environments,
                ignored: holdout.ignoredFindings)
        }
    }

    private func takesEveryone(_ holdout: AuthoredHoldout) -> Bool {
        holdout.status == .running && holdout.traffic == .all && analysis.includesEveryone(holdout.audience)
            && !holdout.verbatim.replaces(
                "audienceConditions", "audienceIds", "trafficAllocation", "status", "variations", "includedRules")
    }

    /// `rule checkout/checkout_ab`, or how many there are.
    private static func list(_ rules: [RuleReference]) -> String {
        rules.count == 1 ? "rule \(rules[0].name)" : "each of \(rules.count) rules"
    }
}

extension AuthoredRules {
    /// Whether a feature rollout gives its users outside the traffic a variation: that of the last delivery or of the
    /// rule for everyone else.
    fileprivate var servesEveryoneElse: Bool { everyoneElse != nil || deliveries.contains(where: \.isEnabled) }
}
