package import TurnoutEngine

/// Finds what does not compile, and what does but is probably a mistake.
///
/// A warning or note is left out if its code is in `ignore` of the part it is about, or of the project.
package struct ProjectLint: Sendable {
    let project: AuthoredProject
    /// The ids of the project, for findings about buckets of single users.
    let lock: LockFile?
    let source: SourceFile?
    /// The datafile that the project was made of; nil for a project file.
    let datafile: Project?
    /// The rules that events of an imported datafile name as measured.
    let measuredRules: Set<RuleReference>
    /// Which conditions are always or never met.
    let analysis: ConditionAnalysis
    /// The experiments that share their users with others of a group.
    let sharedRules: Set<RuleReference>

    /// Prepares a check.
    ///
    /// - Parameters:
    ///   - project: The project.
    ///   - lock: Its lock; without one, users of allow lists are not compared with holdouts.
    ///   - source: The text that the project was read from, for the places of findings.
    ///   - datafile: The datafile that the project was imported from. It is checked instead of those that the project
    ///     compiles to.
    package init(
        _ project: AuthoredProject, lock: LockFile? = nil, source: SourceFile? = nil, datafile: Project? = nil
    ) {
        self.project = project
        self.lock = lock
        self.source = source
        self.datafile = datafile
        measuredRules = Self.measuredRules(of: project, lock)
        analysis = ConditionAnalysis(project)
        sharedRules = Set(project.groups.filter(\.isExclusive).flatMap { $0.members.map(\.experiment) })
    }

    /// All findings, in the order of the file; those without a place come last.
    ///
    /// - Complexity: O(n) in the size of the project and its datafiles; O(r²) for r rules of one flag.
    package var findings: [Diagnostic] {
        let compiled = datafile == nil ? compiled : nil
        let all =
            ruleFindings + audienceFindings + usageFindings + allowListFindings(compiled) + environmentFindings
            + datafileFindings(compiled) + removedKeyFindings(compiled) + ignoredCodeFindings + carriedFindings
        let reported = all.filter { finding in
            finding.rule.severity == .error
                || !(finding.ignored + project.ignoredFindings).contains(finding.rule.code)
        }
        let (listed, unlisted) = Self.listed(Self.merged(reported))
        let ordered = Diagnostics((compiled?.diagnostics.all ?? []) + listed.map(diagnostic)).inOrder.all
        return ordered + (unlisted.map { [$0] } ?? [])
    }

    /// The findings about each flag: those at places from its key to the next part of the project.
    package static func findings(
        _ findings: [Diagnostic], byFlagOf project: AuthoredProject, in source: SourceFile
    ) -> [String: [Diagnostic]] {
        let others: [[any RenamablePart]] = [
            project.environments, project.attributes, project.events, project.audiences, project.experiments,
            project.groups, project.holdouts,
        ]
        let starts = project.flags.map { ($0.key as String?, $0.origin) } + others.joined().map { (nil, $0.origin) }
        let parts = starts.compactMap { flag, origin in
            origin.range.map { (start: source.position(of: $0.lowerBound), flag: flag) }
        }.sorted { $0.start < $1.start }
        return findings.reduce(into: [:]) { found, finding in
            guard let place = finding.position, let flag = parts.last(where: { !(place < $0.start) })?.flag else {
                return
            }
            found[flag, default: []].append(finding)
        }
    }

    /// The findings that are listed, the most serious ones first if there are too many, and one that says how many
    /// others there are.
    private static func listed(_ findings: [LintFinding]) -> (listed: [LintFinding], unlisted: Diagnostic?) {
        guard findings.count > Diagnostics.listedLimit else { return (findings, nil) }
        let order = findings.enumerated().map { index, finding in
            (severity: finding.rule.severity, place: finding.origin.range?.lowerBound ?? Int.max, index: index)
        }.sorted { ($1.severity, $0.place, $0.index) < ($0.severity, $1.place, $1.index) }
        let rest = order[Diagnostics.listedLimit...]
        return (
            order[..<Diagnostics.listedLimit].map { findings[$0.index] },
            rest.first.map { Diagnostic.unlisted(rest.count, $0.severity) }
        )
    }

    /// The findings, each once: rules that several environments share are looked at in each.
    private static func merged(_ findings: [LintFinding]) -> [LintFinding] {
        var indexes: [LintFinding.Identity: Int] = [:]
        var result: [LintFinding] = []
        for finding in findings {
            guard let index = indexes[finding.identity] else {
                indexes[finding.identity] = result.count
                result.append(finding)
                continue
            }
            for key in finding.environments where !result[index].environments.contains(key) {
                result[index].environments.append(key)
            }
        }
        return result
    }

    func diagnostic(for finding: LintFinding) -> Diagnostic {
        let position = finding.origin.range.flatMap { source?.position(of: $0.lowerBound) }
        // With a single environment, its name says nothing.
        let environments =
            finding.environments.isEmpty || project.environments.count < 2
            ? "" : " (\(finding.environments.joined(separator: ", ")))"
        return Diagnostic(
            finding.rule.severity, finding.rule.code, finding.message + environments,
            advice: (finding.suggestion.map { $0 + " " } ?? "") + finding.rule.explanation, at: position)
    }

    /// The rules of a flag in each environment; environments with the same rules are listed together.
    func rules(of flag: AuthoredFlag) -> [(rules: AuthoredRules, environments: [String])] {
        var result: [(rules: AuthoredRules, environments: [String])] = []
        for environment in project.environments {
            let rules = flag.rules(in: environment.key)
            if let index = result.firstIndex(where: { $0.rules == rules }) {
                result[index].environments.append(environment.key)
            } else {
                result.append((rules, [environment.key]))
            }
        }
        return result
    }

    /// The rules of all flags; those that several environments share, once. Shared rules that no environment has are
    /// among them, because they name audiences and events, too.
    var allRules: [AuthoredRules] { project.flags.flatMap(allRules) }

    func allRules(of flag: AuthoredFlag) -> [AuthoredRules] {
        rules(of: flag).map(\.rules) + (hasUnusedRules(flag) ? [flag.rules] : [])
    }

    /// Whether a flag has shared rules, and each environment has its own. Under `in`, an environment can have just
    /// another `enabled` or `else`.
    func hasUnusedRules(_ flag: AuthoredFlag) -> Bool {
        !(flag.rules.experiments.isEmpty && flag.rules.deliveries.isEmpty)
            && project.environments.allSatisfy { !flag.rules(in: $0.key).hasSameRules(as: flag.rules) }
    }

    /// The experiments of all flags, and those without a flag.
    var allExperiments: [AuthoredExperiment] { allRules.flatMap(\.experiments) + project.experiments }

    /// Findings about environments that do not compile, because their datafiles would have no names. Datafiles have
    /// such environments, too, so that they can be read and decided.
    var environmentFindings: [LintFinding] {
        guard datafile == nil else { return [] }
        return project.environments.filter { !$0.canNameFile }.map {
            LintFinding(
                .environmentFileName, "the environment \($0.key.debugDescription) cannot name a file", at: $0.origin)
        }
    }

    /// The errors about environments that cannot name a file.
    package var environmentErrors: Diagnostics { Diagnostics(environmentFindings.map(diagnostic)) }

    /// Findings about keys that were in the project when its lock was written.
    func removedKeyFindings(_ compiled: CompiledProject?) -> [LintFinding] {
        guard let lock, let compiled, !compiled.diagnostics.hasErrors else { return [] }
        return compiled.removedKeys(from: lock).map { removed in
            let new = removed.possibleNewPath
            return LintFinding(
                .keyRemoved, "\(removed.path.description) is no longer in the project",
                at: new.flatMap(project.place) ?? project.origin,
                suggestion: new.map { "Was it renamed to \($0.keys.last ?? "")?" })
        }
    }
}

extension AuthoredRules {
    /// Whether the experiments and deliveries are the same, in the same place of the file.
    fileprivate func hasSameRules(as other: AuthoredRules) -> Bool {
        func places(_ rules: AuthoredRules) -> [Range<Int>?] {
            rules.experiments.map(\.origin.range) + rules.deliveries.map(\.origin.range)
        }
        return experiments == other.experiments && deliveries == other.deliveries && places(self) == places(other)
    }
}

extension AuthoredEnvironment {
    /// Whether the key can be the name of a file, and of no file outside the folder.
    fileprivate var canNameFile: Bool {
        !key.isEmpty && key.utf8.first != UInt8(ascii: ".")
            && key.utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 >= 0x20 }
    }
}

/// A finding before it has a place in the text.
struct LintFinding {
    let rule: LintRule
    let message: String
    let origin: SourceOrigin
    /// The environments that it is about; empty if it does not depend on them.
    var environments: [String]
    /// The codes that the part does not report.
    let ignored: [IgnoredFinding]
    /// The probably intended key, as a question.
    let suggestion: String?

    init(
        _ rule: LintRule, _ message: String, at origin: SourceOrigin, in environments: [String] = [],
        ignored: [IgnoredFinding] = [], suggestion: String? = nil
    ) {
        self.rule = rule
        self.message = message
        self.origin = origin
        self.environments = environments
        self.ignored = ignored
        self.suggestion = suggestion
    }

    init(_ rule: LintRule, _ message: String, of part: some AuthoredPart, in environments: [String] = []) {
        self.init(rule, message, at: part.origin, in: environments, ignored: part.ignoredFindings)
    }

    /// The common fields of two findings that differ only in their environments.
    struct Identity: Hashable {
        let code: String
        let message: String
        let offset: Int?
    }

    var identity: Identity { Identity(code: rule.code, message: message, offset: origin.range?.lowerBound) }
}

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
                ignored: place?.ignoredFindings ?? [])
        }
    }

    private func warnings(of datafile: CompiledDatafile) -> [DatafileWarning] {
        do throws(DatafileError) { return try Project(datafile: datafile.bytes).warnings } catch { return [] }
    }

    /// The parts of the project by the names that the engine's warnings have for them.
    private var places: [String: any AuthoredPart] {
        var places: [String: any AuthoredPart] = [:]
        for part in project.audiences { places["audience \"\(part.key)\""] = part }
        for part in project.flags { places["flag \"\(part.key)\""] = part }
        for part in allExperiments { places["experiment \"\(part.key)\""] = part }
        for part in allRules.flatMap(\.deliveries) { places["rollout rule \"\(part.key)\""] = part }
        for part in project.holdouts { places["holdout \"\(part.key)\""] = part }
        return places
    }

    /// Findings about codes in `ignore` that turn off nothing.
    var ignoredCodeFindings: [LintFinding] {
        let codes = LintRule.all.filter { $0.severity != .error }.map(\.code)
        let known = Set(codes)
        let errors = Set(
            ReadingProblem.allCases.map(\.rawValue) + CompilingProblem.allCases.map(\.rawValue)
                + LintRule.all.filter { $0.severity == .error }.map(\.code))
        var reported: Set<Int> = []
        // An unknown code is compared with all codes, which takes long for very many.
        var suggestions = Diagnostics.listedLimit
        return allIgnored.compactMap { ignored in
            let code = ignored.code
            guard !known.contains(code) else { return nil }
            // The rules that several environments share are listed once for each.
            if let offset = ignored.origin.range?.lowerBound, !reported.insert(offset).inserted { return nil }
            suggestions -= 1
            let meant =
                errors.contains(code) || suggestions < 0 ? nil : Spelling.suggestion(for: code, among: codes)
            let what = errors.contains(code) ? "\(quoted(code)) is an error" : "there is no finding \(quoted(code))"
            return LintFinding(.unknownIgnoredCode, what, at: ignored.origin, suggestion: meant)
        }
    }

    private var allIgnored: [IgnoredFinding] {
        project.ignoredFindings + project.attributes.flatMap(\.ignoredFindings)
            + project.events.flatMap(\.ignoredFindings) + project.metrics.flatMap(\.ignoredFindings)
            + project.audiences.flatMap(\.ignoredFindings)
            + project.flags.flatMap(\.ignoredFindings) + allExperiments.flatMap(\.ignoredFindings)
            + allRules.flatMap(\.deliveries).flatMap(\.ignoredFindings)
            + project.groups.flatMap(\.ignoredFindings) + project.holdouts.flatMap(\.ignoredFindings)
    }
}
