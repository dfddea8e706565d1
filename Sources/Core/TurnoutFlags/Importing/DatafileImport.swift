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

/// A datafile without what no client acts on, so that an import can leave it out.
struct EffectiveDatafile {
    private(set) var root: JSONValue
    /// What is left out, and why.
    private(set) var notes: [Diagnostic] = []

    init(_ datafile: JSONValue) {
        root = datafile
        leaveOutDummyAudience()
        leaveOutRepeatedFlags()
        leaveOutMissingRules()
        leaveOutIdleHoldouts()
    }

    private static let dummyAudience = "$opt_dummy_audience"

    /// The vendor's application adds an audience that no user meets, for clients that do not know typed audiences.
    private mutating func leaveOutDummyAudience() {
        let audiences = root.list("audiences") + root.list("typedAudiences")
        guard audiences.contains(where: Self.isDummyAudience) else { return }
        let rules =
            root.allExperiments + root.list("rollouts").flatMap { $0.list("experiments") } + root.list("holdouts")
            + root.list("localHoldouts")
        let conditions = rules.compactMap { rule in
            rule["audienceConditions"].flatMap { $0 == .null ? nil : $0 } ?? rule["audienceIds"]
        }
        let ids = (conditions + audiences.compactMap { $0["conditions"]?.parsedCondition }).flatMap(\.audienceIDs)
        guard !ids.contains(Self.dummyAudience) else { return }
        for list in ["audiences", "typedAudiences"] {
            root.replace(list) { Self.isDummyAudience($0) ? nil : $0 }
        }
        leaveOut("audience \(Self.dummyAudience) is for clients that know no typed audiences, so it is left out")
    }

    private static func isDummyAudience(_ audience: JSONValue) -> Bool { audience["id"]?.text == dummyAudience }

    /// Flags that are written twice.
    private mutating func leaveOutRepeatedFlags() {
        var known: [String: JSONValue] = [:]
        var repeated: [String] = []
        root.replace("featureFlags") { flag in
            let key = flag["key"]?.text ?? ""
            guard known.updateValue(flag, forKey: key) == flag else { return flag }
            repeated.append(key)
            return nil
        }
        for key in repeated { leaveOut("flag \(key) is written twice, so one of both is left out") }
    }

    /// Rollouts without rules, and experiments and rollouts that flags name although they do not exist.
    private mutating func leaveOutMissingRules() {
        root.replace("rollouts") { $0.list("experiments").isEmpty || $0["id"] == .string("") ? nil : $0 }
        let missing = root.missingRules
        guard !missing.isEmpty else { return }
        let experiments = Set(root.allExperiments.map { $0["id"]?.text })
        let rollouts = Set(root.list("rollouts").map { $0["id"]?.text })
        root.replace("featureFlags") { flag in
            var members = flag.objectMembers
            members["experimentIds"] = .array(flag.list("experimentIds").filter { experiments.contains($0.text) })
            members["rolloutId"] = .string(rollouts.contains(flag.rolloutID) ? flag.rolloutID : "")
            return .object(members)
        }
        for name in missing { leaveOut("\(name) does not exist or has no rules, so it is left out") }
    }

    /// Holdouts for single rules, none of which exists. Those for all flags name no rules.
    private mutating func leaveOutIdleHoldouts() {
        let used = Set(root.list("featureFlags").map(\.rolloutID))
        let rollouts = root.list("rollouts").filter { used.contains($0["id"]?.text ?? "") }
        let rules = root.allExperiments + rollouts.flatMap { $0.list("experiments") }
        let known = Set(rules.compactMap { $0["id"]?.text })
        var idle: [String] = []
        root.replace("localHoldouts") { holdout in
            let included = holdout.list("includedRules").filter { $0.text.map(known.contains) ?? false }
            guard !included.isEmpty else {
                idle.append(holdout["key"]?.text ?? "")
                return nil
            }
            var members = holdout.objectMembers
            members["includedRules"] = .array(included)
            return .object(members)
        }
        root.replace("holdouts") { holdout in
            var members = holdout.objectMembers
            members["includedRules"] = nil
            return .object(members)
        }
        for key in idle { leaveOut("holdout \(key) applies to no rule that exists, so it is left out") }
    }

    private mutating func leaveOut(_ message: String) { notes.append(Diagnostic(.note, "left-out", message)) }
}

extension JSONValue {
    /// The members of an object; empty for other values.
    var objectMembers: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    /// The experiments of a datafile, those of groups at the end.
    var allExperiments: [JSONValue] { list("experiments") + list("groups").flatMap { $0.list("experiments") } }

    /// Replaces the elements of a list, or removes those for which there is nil.
    fileprivate mutating func replace(_ list: String, _ element: (JSONValue) -> JSONValue?) {
        guard case .object(var members) = self, members[list] != nil else { return }
        members[list] = .array(self.list(list).compactMap(element))
        self = .object(members)
    }
}
