import TurnoutEngine

extension ProjectLint {
    /// Findings about rules: unreachable, without effect, or unable to show anything.
    var ruleFindings: [LintFinding] {
        project.flags.flatMap { flag in
            alwaysOff(flag) + rules(of: flag).flatMap { findings(in: $0.rules, of: flag) }
        } + project.experiments.flatMap { findings(in: $0, ofFlag: nil) } + groupFindings
    }

    private func alwaysOff(_ flag: AuthoredFlag) -> [LintFinding] {
        let enabled = Set(flag.variations.filter { $0.isEnabled == true }.map(\.key))
        let serves = rules(of: flag).contains { entry in
            let rules = entry.rules
            return rules.isEnabled
                && (enabled.contains(rules.everyoneElse?.variation ?? "")
                    || rules.deliveries.contains(where: \.isEnabled)
                    || !rules.experiments.isEmpty)
        }
        guard !serves, !flag.hasCarriedRules else { return [] }
        return [
            LintFinding(
                .flagAlwaysOff, "flag \(flag.key) is always off", at: flag.origin, ignored: flag.ignoredFindings)
        ]
    }

    private func findings(in rules: AuthoredRules, of flag: AuthoredFlag) -> [LintFinding] {
        guard rules.isEnabled else { return [] }
        return rules.experiments.flatMap { findings(in: $0, ofFlag: flag) } + unreachable(rules, of: flag)
            + rules.deliveries.filter {
                $0.isEnabled && $0.traffic.buckets == 0 && !$0.verbatim.replaces("trafficAllocation")
            }.map {
                LintFinding(
                    .trafficZero, "delivery \($0.key) has no traffic", at: $0.origin, ignored: $0.ignoredFindings)
            } + redundant(rules)
    }

    private func findings(in experiment: AuthoredExperiment, ofFlag flag: AuthoredFlag?) -> [LintFinding] {
        let name = "experiment \(experiment.key)"
        func finding(_ rule: LintRule, _ message: String) -> LintFinding {
            LintFinding(rule, message, at: experiment.origin, ignored: experiment.ignoredFindings)
        }
        guard experiment.status == .running else {
            let ended = experiment.status == .archived || experiment.status == .launched
            let unused =
                experiment.allowList.isEmpty
                ? []
                : [
                    finding(.allowListUnused, "\(name) does not run, so its allow list has no effect")
                ]
            return unused + (ended ? [finding(.experimentEnded, "\(name) has ended")] : [])
        }
        var findings: [LintFinding] = []
        let hasCarriedTraffic = experiment.verbatim.replaces("trafficAllocation", "variations", "cmab")
        if experiment.traffic.buckets == 0, !hasCarriedTraffic {
            findings.append(finding(.trafficZero, "\(name) has no traffic"))
        }
        let reference = RuleReference(flag: flag?.key, rule: experiment.key)
        if experiment.metrics.isEmpty, experiment.kind != .rollout, !measuredRules.contains(reference) {
            findings.append(finding(.experimentWithoutMetric, "\(name) has no metrics"))
        }
        let weighted = experiment.split.filter { $0.weight > 0 }
        if weighted.count == 1, experiment.kind != .rollout, !hasCarriedTraffic {
            findings.append(finding(.experimentOneVariation, "\(name) gives all traffic to \(weighted[0].variation)"))
        }
        if let (first, second) = equalVariations(weighted.map(\.variation), experiment, flag) {
            findings.append(finding(.variationsEqual, "\(name) compares \(first) with \(second), which are equal"))
        }
        return findings
    }

    private func equalVariations(
        _ keys: [String], _ experiment: AuthoredExperiment, _ flag: AuthoredFlag?
    ) -> (String, String)? {
        // Without a flag, programs distinguish variations by key alone.
        guard let flag else { return nil }
        let variations = keys.compactMap { key in
            experiment.variations.first { $0.key == key } ?? flag.variation(key)
        }
        for (index, variation) in variations.enumerated() {
            if let other = variations[..<index].first(where: { $0.hasEffect(of: variation) }) {
                return (other.key, variation.key)
            }
        }
        return nil
    }

    /// Rules after one that takes every user.
    private func unreachable(_ rules: AuthoredRules, of flag: AuthoredFlag) -> [LintFinding] {
        let grouped = Set(project.groups.filter(\.isExclusive).flatMap { $0.members.map(\.experiment) })
        var blocker: String?
        var findings: [LintFinding] = []
        for experiment in rules.experiments where experiment.status == .running {
            if let blocker {
                findings.append(
                    LintFinding(
                        .ruleUnreachable, "experiment \(experiment.key) never applies: \(blocker) takes every user",
                        at: experiment.origin, ignored: experiment.ignoredFindings))
            } else if experiment.audience == nil,
                !experiment.verbatim.replaces("audienceConditions", "trafficAllocation"),
                experiment.traffic == .all || (experiment.kind == .rollout && rules.servesEveryoneElse),
                !grouped.contains(RuleReference(flag: flag.key, rule: experiment.key))
            {
                blocker = "experiment \(experiment.key)"
            }
        }
        for delivery in rules.deliveries where delivery.isEnabled {
            if let blocker {
                findings.append(
                    LintFinding(
                        .ruleUnreachable, "delivery \(delivery.key) never applies: \(blocker) takes every user",
                        at: delivery.origin, ignored: delivery.ignoredFindings))
            } else if delivery.audience == nil, !delivery.verbatim.replaces("audienceConditions") {
                // Users outside the traffic of a delivery go to everyone else, past all deliveries between.
                blocker = "delivery \(delivery.key)"
            }
        }
        return findings
    }

    /// The last deliveries that serve what everyone else gets.
    private func redundant(_ rules: AuthoredRules) -> [LintFinding] {
        rules.deliveries.reversed().prefix { delivery in
            delivery.variations.isEmpty && delivery.isEnabled && delivery.verbatim.isEmpty
                && delivery.variation == rules.everyoneElse?.variation
        }.map {
            LintFinding(
                .deliveryRedundant, "delivery \($0.key) serves \($0.variation), which everyone else gets, too",
                at: $0.origin, ignored: $0.ignoredFindings)
        }
    }

    private var groupFindings: [LintFinding] {
        project.groups.filter { $0.isExclusive && !$0.verbatim.replaces("trafficAllocation") }.flatMap { group in
            group.members.filter { $0.traffic.buckets == 0 }.map {
                LintFinding(
                    .groupUnallocated, "experiment \($0.experiment.name) has no share in group \(group.key)",
                    at: $0.experiment.origin, ignored: group.ignoredFindings)
            }
        }
    }
}

extension AuthoredRules {
    /// Whether a feature rollout gives its users outside the traffic a variation: that of the last delivery or of the
    /// rule for everyone else.
    fileprivate var servesEveryoneElse: Bool { everyoneElse != nil || deliveries.contains(where: \.isEnabled) }
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
    /// Whether a program sees no difference but the key. Variables of a disabled flag have their defaults.
    fileprivate func hasEffect(of other: AuthoredVariation) -> Bool {
        guard isEnabled == other.isEnabled else { return false }
        guard isEnabled == true else { return true }
        let values = { (variation: AuthoredVariation) in Set(variation.overrides.map { [$0.variable, $0.value] }) }
        return values(self) == values(other)
    }
}
