import TurnoutEngine

extension ProjectLint {
    /// Findings about rules: unreachable, without effect, or unable to show anything.
    var ruleFindings: [LintFinding] {
        project.flags.flatMap { flag in
            alwaysOff(flag) + unusedRules(of: flag)
                + rules(of: flag).flatMap { findings(in: $0.rules, of: flag, $0.environments) }
        } + project.experiments.flatMap { findings(in: $0, ofFlag: nil) } + groupFindings
            + holdoutFindings + emptyHoldoutFindings
    }

    private func alwaysOff(_ flag: AuthoredFlag) -> [LintFinding] {
        guard !flag.hasCarriedRules, !rules(of: flag).contains(where: { serves($0.rules, of: flag) }) else { return [] }
        return [LintFinding(.flagAlwaysOff, "flag \(flag.key) is always off", of: flag)]
    }

    private func unusedRules(of flag: AuthoredFlag) -> [LintFinding] {
        guard hasUnusedRules(flag) else { return [] }
        let place = flag.rules.experiments.first?.origin ?? flag.rules.deliveries.first?.origin ?? flag.origin
        return [
            LintFinding(
                .rulesUnused, "no environment has the shared rules of flag \(flag.key)", at: place,
                ignored: flag.ignoredFindings)
        ]
    }

    /// Whether rules turn a flag on for a user. A delivery to everyone keeps users from what comes after it.
    private func serves(_ rules: AuthoredRules, of flag: AuthoredFlag) -> Bool {
        guard rules.isEnabled else { return false }
        guard rules.experiments.isEmpty else { return true }
        let enabled = Set(flag.variations.filter { $0.isEnabled == true }.map(\.key))
        for delivery in rules.deliveries where delivery.isEnabled {
            guard delivery.verbatim.isEmpty, delivery.variations.isEmpty, !enabled.contains(delivery.variation)
            else { return true }
            if delivery.traffic == .all, analysis.includesEveryone(delivery.audience) { return false }
        }
        return enabled.contains(rules.everyoneElse?.variation ?? "")
    }

    private func findings(
        in rules: AuthoredRules, of flag: AuthoredFlag, _ environments: [String]
    ) -> [LintFinding] {
        guard rules.isEnabled else { return [] }
        return rules.experiments.flatMap { findings(in: $0, ofFlag: flag) }
            + unreachable(rules, of: flag, environments)
            + rules.deliveries.filter {
                $0.isEnabled && $0.traffic.buckets == 0 && !$0.verbatim.replaces("trafficAllocation")
            }.map {
                LintFinding(.trafficZero, "\($0.name(in: flag)) has no traffic", of: $0)
            } + redundant(rules, of: flag, environments)
    }

    private func findings(in experiment: AuthoredExperiment, ofFlag flag: AuthoredFlag?) -> [LintFinding] {
        let name = experiment.name(in: flag)
        func finding(_ rule: LintRule, _ message: String) -> LintFinding {
            LintFinding(rule, message, of: experiment)
        }
        let ended = experiment.status == .archived || experiment.status == .launched
        var findings = ended ? [finding(.experimentEnded, "\(name) has ended")] : planFindings(experiment, name)
        guard experiment.status == .running else {
            let unused = finding(.allowListUnused, "\(name) does not run, so its allow list has no effect")
            return findings + (experiment.allowList.isEmpty ? [] : [unused])
        }
        let hasCarriedTraffic = experiment.verbatim.replaces("trafficAllocation", "variations", "cmab")
        // Users of an allow list take part whatever the traffic.
        if experiment.traffic.buckets == 0, experiment.allowList.isEmpty, !hasCarriedTraffic {
            findings.append(finding(.trafficZero, "\(name) has no traffic"))
        }
        let reference = RuleReference(flag: flag?.key, rule: experiment.key)
        let isMeasured = !experiment.metrics.isEmpty || measuredRules.contains(reference)
        if !isMeasured, experiment.isComparison, experiment.plan == nil {
            findings.append(finding(.experimentWithoutMetric, "\(name) has no metrics"))
        }
        let weighted = experiment.split.filter { $0.weight > 0 }
        if weighted.count == 1, experiment.isComparison, !hasCarriedTraffic {
            findings.append(finding(.experimentOneVariation, "\(name) gives all traffic to \(weighted[0].variation)"))
        }
        if let (first, second) = equalVariations(weighted.map(\.variation), experiment, flag) {
            findings.append(finding(.variationsEqual, "\(name) compares \(first) with \(second), which are equal"))
        }
        return findings
    }

    /// Findings about the planned size. An experiment that has not started yet is told in time.
    private func planFindings(_ experiment: AuthoredExperiment, _ name: String) -> [LintFinding] {
        guard let plan = experiment.plan else { return [] }
        var findings: [LintFinding] = []
        if experiment.metrics.isEmpty {
            findings.append(LintFinding(.planWithoutMetric, "\(name) has a plan and no metric", of: experiment))
        }
        if let perDay = plan.perDay, let days = plan.days, days > 90 {
            let size = "planned size \(plan.visitors.grouped), at \(perDay.grouped) visitors a day \(days.grouped) days"
            findings.append(LintFinding(.planTooLong, "\(name): \(size)", of: experiment))
        }
        return findings
    }

    private func equalVariations(
        _ keys: [String], _ experiment: AuthoredExperiment, _ flag: AuthoredFlag?
    ) -> (String, String)? {
        // Without a flag, or without variables, programs distinguish variations by key alone.
        guard let flag, !flag.variables.isEmpty else { return nil }
        let variations = keys.compactMap { key in
            experiment.variations.first { $0.key == key } ?? flag.variation(key)
        }
        for (index, variation) in variations.enumerated() {
            if let other = variations[..<index].first(where: { $0.hasEffect(of: variation, in: flag) }) {
                return (other.key, variation.key)
            }
        }
        return nil
    }

    private var groupFindings: [LintFinding] {
        project.groups.filter { $0.isExclusive && !$0.verbatim.replaces("trafficAllocation") }.flatMap { group in
            group.members.filter { $0.traffic.buckets == 0 && isRunning($0.experiment) }.map {
                LintFinding(
                    .groupUnallocated, "experiment \($0.experiment.name) has no share in group \(group.key)",
                    at: $0.experiment.origin, ignored: group.ignoredFindings)
            }
        }
    }

    /// Whether an experiment applies in an environment.
    private func isRunning(_ reference: RuleReference) -> Bool {
        let flags = project.flags.filter { $0.key == reference.flag }
        let experiments = flags.flatMap { rules(of: $0) }.filter(\.rules.isEnabled).flatMap(\.rules.experiments)
        return (reference.flag == nil ? project.experiments : experiments).contains {
            $0.key == reference.rule && $0.status == .running
        }
    }
}

extension AuthoredFlag {
    /// Whether the datafile's flag names other rules than those of the project.
    var hasCarriedRules: Bool { verbatim.replaces("experimentIds", "rolloutId") }

    /// The variation with a key; `off` exists even if the file does not mention it.
    package func variation(_ key: String) -> AuthoredVariation? {
        variations.first { $0.key == key }
            ?? (key == AuthoredVariation.offKey ? AuthoredVariation(key: key, isEnabled: false) : nil)
    }
}

extension AuthoredVariation {
    /// Whether a program sees no difference but the key.
    fileprivate func hasEffect(of other: AuthoredVariation, in flag: AuthoredFlag) -> Bool {
        let values = { (variation: AuthoredVariation) in
            Set(variation.effectiveOverrides(in: flag).map { [$0.variable, $0.value] })
        }
        return isEnabled == other.isEnabled && values(self) == values(other)
    }

    /// The values that differ from the defaults. Variables of a disabled flag have their defaults.
    func effectiveOverrides(in flag: AuthoredFlag) -> [AuthoredOverride] {
        guard isEnabled == true else { return [] }
        return overrides.filter { override in
            flag.variables.first { $0.key == override.variable }?.defaultValue != override.value
        }
    }
}

extension AuthoredExperiment {
    /// Whether it compares variations. Deliveries and rollouts can be written as experiments.
    var isComparison: Bool {
        switch kind {
        case .rollout, .split(type: .targetedDelivery), .split(type: .featureRollout): false
        case .split, .bandit: true
        }
    }

    func name(in flag: AuthoredFlag?) -> String { "experiment \(key)" + (flag.map { " of flag \($0.key)" } ?? "") }
}

extension AuthoredDelivery {
    func name(in flag: AuthoredFlag) -> String { "delivery \(key) of flag \(flag.key)" }
}

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
                        of: experiment, in: environments))
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
                        of: delivery, in: environments))
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
                of: $0, in: environments)
        }
    }

    /// Findings about holdouts that take no user.
    var emptyHoldoutFindings: [LintFinding] {
        project.holdouts.filter {
            $0.status == .running && $0.traffic.buckets == 0 && !$0.verbatim.replaces("trafficAllocation")
        }.map { LintFinding(.trafficZero, "holdout \($0.key) has no traffic", of: $0) }
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
