import TurnoutEngine

extension ProjectLint {
    var compiled: CompiledProject {
        ProjectCompiler(project, lock: lock ?? LockFile(), source: source).compile()
    }

    /// The engine's warnings about the datafile, or about those that the project compiles to.
    func datafileFindings(_ compiled: CompiledProject?) -> [LintFinding] {
        if let datafile {
            return datafile.warnings.map { LintFinding(.datafileWarning, $0.description, at: SourceOrigin()) }
        }
        let places = places
        var environments: [(warning: DatafileWarning, keys: [String])] = []
        for datafile in compiled?.datafiles ?? [] {
            for warning in warnings(of: datafile) {
                if let index = environments.firstIndex(where: { $0.warning == warning }) {
                    environments[index].keys.append(datafile.environment)
                } else {
                    environments.append((warning, [datafile.environment]))
                }
            }
        }
        return environments.map { warning, keys in
            let place = places[warning.subject]
            return LintFinding(
                .datafileWarning, "\(warning) (\(keys.joined(separator: ", ")))", at: place?.origin ?? SourceOrigin(),
                ignored: place?.ignored ?? [])
        }
    }

    private func warnings(of datafile: CompiledDatafile) -> [DatafileWarning] {
        do throws(DatafileError) { return try Project(datafile: datafile.bytes).warnings } catch { return [] }
    }

    /// The parts of the project by the names that the engine's warnings have for them.
    private var places: [String: (origin: SourceOrigin, ignored: [IgnoredFinding])] {
        var places: [String: (origin: SourceOrigin, ignored: [IgnoredFinding])] = [:]
        for audience in project.audiences {
            places["audience \"\(audience.key)\""] = (audience.origin, audience.ignoredFindings)
        }
        for flag in project.flags { places["flag \"\(flag.key)\""] = (flag.origin, flag.ignoredFindings) }
        for experiment in allExperiments {
            places["experiment \"\(experiment.key)\""] = (experiment.origin, experiment.ignoredFindings)
        }
        for delivery in allRules.flatMap(\.deliveries) {
            places["rollout rule \"\(delivery.key)\""] = (delivery.origin, delivery.ignoredFindings)
        }
        for holdout in project.holdouts {
            places["holdout \"\(holdout.key)\""] = (holdout.origin, holdout.ignoredFindings)
        }
        return places
    }
}
