import TurnoutEngine

extension DatafileImport {
    /// The project with its experiments as they are written into a project file: those that no event names as measured
    /// ignore `experiment-without-metric`.
    ///
    /// A datafile does not say what an experiment measures, so a team that takes it over can only add that later. Each
    /// experiment ignores the finding by itself, so that new ones need metrics at once.
    package var projectIgnoringMissingMetrics: AuthoredProject {
        let measured = ProjectLint.measuredRules(of: project, lock)
        let code = IgnoredFinding(LintRule.experimentWithoutMetric.code)
        func ignore(_ experiment: inout AuthoredExperiment, ofFlag flag: String?) {
            let hasEnded = experiment.status == .archived || experiment.status == .launched
            guard !hasEnded, experiment.metrics.isEmpty, experiment.kind != .rollout,
                !measured.contains(RuleReference(flag: flag, rule: experiment.key))
            else { return }
            experiment.ignoredFindings.append(code)
        }
        var project = project
        for flag in project.flags.indices {
            for index in project.flags[flag].rules.experiments.indices {
                ignore(&project.flags[flag].rules.experiments[index], ofFlag: project.flags[flag].key)
            }
        }
        for index in project.experiments.indices { ignore(&project.experiments[index], ofFlag: nil) }
        return project
    }

    /// Why experiments ignore `experiment-without-metric`, as a note and as the comment of the project file.
    package static let noteOnMetrics = Diagnostic(
        .note, "metrics-unknown",
        "a datafile does not say what an experiment measures; experiments that no event names ignore "
            + "experiment-without-metric",
        advice: "Add `metrics` to each of them, and remove its `ignore`.")
}
