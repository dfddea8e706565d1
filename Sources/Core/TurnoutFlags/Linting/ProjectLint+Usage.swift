import TurnoutEngine

extension ProjectLint {
    /// Findings about parts that nothing refers to.
    var usageFindings: [LintFinding] {
        unusedAudiences + unusedAttributes + unusedEvents + unusedMetrics
            + project.flags.filter { !$0.hasCarriedRules }.flatMap { flag in
                unusedVariations(of: flag) + variablesNeverOverridden(in: flag)
            }
    }

    /// The conditions of all rules and holdouts.
    var conditions: [AuthoredCondition] {
        allExperiments.compactMap(\.audience) + allRules.flatMap(\.deliveries).compactMap(\.audience)
            + project.holdouts.compactMap(\.audience)
    }

    private var unusedAudiences: [LintFinding] {
        let used = Set((conditions + project.audiences.map(\.condition)).flatMap(\.audienceKeys))
        let carried = carriedWords
        return project.audiences.filter {
            !used.contains($0.key) && !isCarried(EntityPath(.audience, $0.key), in: carried)
        }.map { LintFinding(.unusedAudience, "audience \($0.key) is not used", of: $0) }
    }

    private var unusedAttributes: [LintFinding] {
        var used = Set((conditions + project.audiences.map(\.condition)).flatMap(\.attributeTests).map(\.attribute))
        for experiment in allExperiments {
            if case .bandit(let attributes) = experiment.kind { used.formUnion(attributes) }
        }
        let carried = carriedWords
        return project.attributes.filter {
            !used.contains($0.key) && !isCarried(EntityPath(.attribute, $0.key), in: carried)
        }.map { LintFinding(.unusedAttribute, "attribute \($0.key) is not used", of: $0) }
    }

    private var unusedEvents: [LintFinding] {
        let segments = project.settings.segments?.defined ?? []
        let metrics = allExperiments.flatMap(\.metrics) + project.metrics.map(\.metric)
        let used = Set(metrics.map(\.event) + segments.compactMap(\.rule?.event))
        return project.events.filter { !used.contains($0.key) && $0.carriedExperimentIDs.isEmpty }.map {
            LintFinding(.unusedEvent, "event \($0.key) is not a metric of any experiment", of: $0)
        }
    }

    private var unusedMetrics: [LintFinding] {
        let used = Set(allExperiments.flatMap(\.metrics).compactMap(\.name))
        return project.metrics.filter { !used.contains($0.key) }.map {
            LintFinding(
                .unusedMetric, "metric \($0.key) is not used", at: $0.origin, ignored: $0.ignoredFindings)
        }
    }

    private func unusedVariations(of flag: AuthoredFlag) -> [LintFinding] {
        var used: Set<String> = [AuthoredVariation.offKey]
        for rules in allRules(of: flag) {
            used.formUnion(rules.experiments.flatMap { $0.split.map(\.variation) + $0.allowList.map(\.variation) })
            used.formUnion(rules.deliveries.map(\.variation))
            if let everyoneElse = rules.everyoneElse { used.insert(everyoneElse.variation) }
        }
        return flag.variations.filter { !used.contains($0.key) }.map {
            LintFinding(
                .unusedVariation, "no rule of flag \(flag.key) serves variation \($0.key)", at: $0.origin,
                ignored: flag.ignoredFindings)
        }
    }

    private func variablesNeverOverridden(in flag: AuthoredFlag) -> [LintFinding] {
        let own = allRules(of: flag).flatMap { rules in
            rules.experiments.flatMap(\.variations) + rules.deliveries.flatMap(\.variations)
        }
        let overridden = Set((flag.variations + own).flatMap { $0.effectiveOverrides(in: flag) }.map(\.variable))
        return flag.variables.filter { !overridden.contains($0.key) }.map {
            LintFinding(
                .variableNeverOverridden, "no variation of flag \(flag.key) changes variable \($0.key)", at: $0.origin,
                ignored: flag.ignoredFindings)
        }
    }

    /// Findings about users of allow lists that a holdout keeps out. Holdouts that were not compiled yet have the ids
    /// that the compiled project gives them.
    func allowListFindings(_ compiled: CompiledProject?) -> [LintFinding] {
        guard var lock else { return [] }
        if let new = compiled?.lock {
            lock.ids.merge(new.ids) { known, _ in known }
            lock.allocations.merge(new.allocations) { known, _ in known }
        }
        return project.environments.flatMap { [lock] environment in
            project.flags.flatMap { flag -> [LintFinding] in
                let rules = flag.rules(in: environment.key)
                return rules.experiments.filter { rules.isEnabled && $0.status == .running }.flatMap { experiment in
                    heldOut(from: experiment, of: flag, in: environment.key, lock)
                }
            }
        }
    }

    private func heldOut(
        from experiment: AuthoredExperiment, of flag: AuthoredFlag, in environment: String, _ lock: LockFile
    ) -> [LintFinding] {
        let rule = RuleReference(flag: flag.key, rule: experiment.key)
        let holdouts = project.holdouts.filter { holdout in
            holdout.status == .running && holdout.audience == nil
                && (holdout.environments.isEmpty || holdout.environments.contains(environment))
                && (holdout.rules.isEmpty || holdout.rules.contains(rule))
        }
        return holdouts.flatMap { holdout -> [LintFinding] in
            guard let id = lock.ids[EntityPath(.holdout, environment, holdout.key)] else { return [] }
            let allocation = lock.allocations[EntityPath(.holdout, environment, holdout.key)]
            return experiment.allowList.compactMap { entry in
                let count = entry.userIDs.count {
                    let bucket = Bucketing(bucketingID: $0).bucket(entityID: id)
                    guard let allocation else { return bucket < holdout.traffic.buckets }
                    // A range without a variation is a hole, whose users are not held out.
                    return allocation.active.ranges.first { bucket < $0.end }?.key.isEmpty == false
                }
                guard count > 0 else { return nil }
                return LintFinding(
                    .allowListHeldOut,
                    "holdout \(holdout.key) keeps \(count) of \(entry.userIDs.count) users of variation "
                        + "\(entry.variation) out of experiment \(experiment.key) (\(environment))",
                    at: entry.origin, ignored: experiment.ignoredFindings)
            }
        }
    }
}

/// Members that are carried from a datafile. They override the members that the project spells, so findings about the
/// latter would be wrong.
extension ProjectLint {
    /// Findings about what is not checked, because it has the form of datafiles.
    var carriedFindings: [LintFinding] {
        project.carriedParts.filter { !$0.uncheckedMembers.isEmpty }.map { part in
            LintFinding(
                .notChecked, "\(part.uncheckedMembers.joined(separator: ", ")) of \(part.name) is not checked",
                at: part.origin, in: part.environment.map { [$0] } ?? [], ignored: part.ignoredFindings)
        }
    }

    /// The rules that the `experimentIds` of events name. Imported events say so, because a metric is more than that.
    static func measuredRules(of project: AuthoredProject, _ lock: LockFile?) -> Set<RuleReference> {
        var ids: Set<String> = []
        for event in project.events { ids.formUnion(event.carriedExperimentIDs) }
        guard !ids.isEmpty, let lock else { return [] }
        var rules: Set<RuleReference> = []
        for (path, id) in lock.ids where path.kind == .rule && path.keys.count == 3 && ids.contains(id) {
            rules.insert(RuleReference(flag: path.keys[1].isEmpty ? nil : path.keys[1], rule: path.keys[2]))
        }
        return rules
    }

    /// The names and ids in carried conditions, which can be those of attributes and audiences.
    var carriedWords: Set<String> {
        var words: Set<String> = []
        let conditions = project.audiences.map(\.condition) + conditions
        for value in conditions.flatMap(\.verbatimValues) { value.collectTexts(into: &words) }
        let members =
            project.audiences.map(\.verbatim) + allExperiments.map(\.verbatim)
            + allRules.flatMap(\.deliveries).map(\.verbatim) + allRules.compactMap(\.everyoneElse?.verbatim)
            + project.holdouts.map(\.verbatim)
        for member in members {
            for key in ["conditions", "audienceConditions", "audienceIds", "cmab"] {
                member[key]?.collectTexts(into: &words)
            }
        }
        return words
    }

    /// Whether carried words name a part, by its key or by its id.
    func isCarried(_ path: EntityPath, in words: Set<String>) -> Bool {
        guard !words.isEmpty else { return false }
        return words.contains(path.keys.last ?? "") || lock?.ids[path].map(words.contains) ?? false
    }
}

extension AuthoredEvent {
    /// The ids of the experiments that it measures, as a datafile says.
    var carriedExperimentIDs: [String] { verbatim["experimentIds"]?.elements.compactMap(\.text) ?? [] }
}

extension [String: JSONValue] {
    /// Whether members replace one of those with these keys.
    func replaces(_ keys: String...) -> Bool { keys.contains { self[$0] != nil } }
}

extension JSONValue {
    fileprivate var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    fileprivate func collectTexts(into words: inout Set<String>) {
        switch self {
        case .string(let text):
            words.insert(text)
            // Conditions can be JSON in a string.
            let inner = parsedCondition
            if inner != self { inner.collectTexts(into: &words) }
        case .array(let elements): for element in elements { element.collectTexts(into: &words) }
        case .object(let members): for member in members.values { member.collectTexts(into: &words) }
        default: break
        }
    }
}
