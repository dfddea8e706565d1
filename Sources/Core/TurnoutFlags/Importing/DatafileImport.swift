package import TurnoutEngine

/// A project created from a datafile, which compiles to one that decides alike.
///
/// All ids and the ranges of all traffic are kept in the lock. After the conversion the project is compiled and
/// compared with the datafile: members that differ are carried verbatim, so nothing can get lost that the project file
/// has no spelling for.
package struct DatafileImport: Sendable {
    package let project: AuthoredProject
    /// The ids and the traffic of the datafile.
    package let lock: LockFile
    /// The members that are carried verbatim, and those that are left out because they have no effect.
    package let notes: [Diagnostic]

    /// Converts a datafile.
    ///
    /// - Parameters:
    ///   - datafile: The datafile.
    ///   - environment: The key of its environment. Default: the one that the datafile names, or `production`.
    /// - Throws: The error of the engine, if it cannot read the datafile.
    /// - Complexity: O(n) in the size of the datafile.
    package init(_ datafile: [UInt8], environment: String? = nil) throws(DatafileError) {
        _ = try Project(datafile: datafile)
        let root: JSONValue
        do throws(JSONError) { root = try JSONValue(parsing: datafile) } catch { throw .invalid(error) }
        let effective = EffectiveDatafile(root)
        var converter = DatafileConverter(effective.root, environment: environment)
        converter.convert()
        let carried = VerbatimMembers(converter, text: datafile).carried()
        (project, lock) = (carried.project, carried.lock)
        notes = effective.notes + converter.notes + carried.notes
    }
}

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
