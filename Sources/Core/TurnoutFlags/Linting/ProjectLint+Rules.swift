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
        return [
            LintFinding(
                .flagAlwaysOff, "flag \(flag.key) is always off", at: flag.origin, ignored: flag.ignoredFindings)
        ]
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
                LintFinding(
                    .trafficZero, "\($0.name(in: flag)) has no traffic", at: $0.origin, ignored: $0.ignoredFindings)
            } + redundant(rules, of: flag, environments)
    }

    private func findings(in experiment: AuthoredExperiment, ofFlag flag: AuthoredFlag?) -> [LintFinding] {
        let name = experiment.name(in: flag)
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
        // Users of an allow list take part whatever the traffic.
        if experiment.traffic.buckets == 0, experiment.allowList.isEmpty, !hasCarriedTraffic {
            findings.append(finding(.trafficZero, "\(name) has no traffic"))
        }
        let reference = RuleReference(flag: flag?.key, rule: experiment.key)
        if experiment.metrics.isEmpty, experiment.isComparison, !measuredRules.contains(reference) {
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
}

extension ProjectLint {
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
