import TurnoutEngine

/// The meaning of an edit: what differs between two projects, in sentences.
///
/// Parts are matched by key, and renamed ones by their former key. Origins, comments and the order of parts without
/// meaning are not compared.
package struct ProjectComparison: Sendable {
    /// With the new names wherever a part refers to another one, so that a renamed part is a difference only once.
    let old: AuthoredProject
    let new: AuthoredProject
    private let ids: IDComparison

    /// Prepares the comparison.
    ///
    /// - Parameters:
    ///   - old: The project before the edit.
    ///   - new: The project after it.
    ///   - locks: The locks of both; ids are compared as far as both have them.
    package init(
        from old: AuthoredProject, to new: AuthoredProject,
        locks: (old: LockFile, new: LockFile) = (LockFile(), LockFile())
    ) {
        self.old = Renames(from: old, to: new).applied(to: old)
        self.new = new
        ids = IDComparison(from: locks.old, to: locks.new)
    }

    /// All differences: the project's own, then those of environments, attributes, events, metrics, audiences,
    /// flags, experiments, groups, holdouts and configurations, and at last those of ids.
    package var changes: [ProjectChange] {
        settings + environments + plainParts + audiences + flags + standaloneExperiments + groups + holdouts
            + configurations + ids.changes
    }

    /// What differs in the form of datafiles, so that ``changes`` cannot say how: `trafficAllocation of experiment ab`.
    package var notCompared: [String] {
        let (before, after) = (Self.carriedMembers(of: old), Self.carriedMembers(of: new))
        let names = before.map(\.name) + after.map(\.name).filter { name in !before.contains { $0.name == name } }
        return names.compactMap { name in
            let (left, right) = (before.first { $0.name == name }, after.first { $0.name == name })
            let members = Set((left?.members ?? [:]).keys).union((right?.members ?? [:]).keys)
                .filter { left?.members[$0] != right?.members[$0] }.sorted()
            return members.isEmpty ? nil : "\(members.joined(separator: ", ")) of \(name)"
        }
    }

    private static func carriedMembers(of project: AuthoredProject) -> [(name: String, members: [String: JSONValue])] {
        project.carriedParts.map { part in
            // Conditions are compared, whatever their form.
            let keys = part.uncheckedMembers.filter { $0 != "condition" }
            let name = part.name + (part.environment.map { " (\($0))" } ?? "")
            return (name, part.members.filter { keys.contains($0.key) })
        }
    }

    /// The environments that both projects have.
    private var sharedEnvironments: [String] {
        new.environments.map(\.key).filter { key in old.environments.contains { $0.key == key } }
    }

    private var settings: [ProjectChange] {
        let (before, after) = (old.settings, new.settings)
        return [
            Detail.changed("project", old.key, new.key),
            Detail.changed("account", before.account, after.account),
            Detail.changed("region", before.region?.rawValue ?? "US", after.region?.rawValue ?? "US"),
            Detail.changed("anonymize_ip", before.anonymizesIP, after.anonymizesIP),
            Detail.changed("filter_bots", before.filtersBots, after.filtersBots),
            Detail.changed("send_flag_decisions", before.sendsFlagDecisions, after.sendsFlagDecisions),
            Detail.changed("segments", before.segments?.host, after.segments?.host),
            Detail.changed("public key of segments", before.segments?.publicKey, after.segments?.publicKey),
            Detail.verbatim(old.verbatim, new.verbatim),
        ].compactMap { $0.map { ProjectChange(.changed, ["project"], $0) } } + definedSegments
    }

    private var definedSegments: [ProjectChange] {
        PartPairs(
            old.settings.segments?.defined ?? [], new.settings.segments?.defined ?? [], key: \.key
        ).changes("segment") {
            [
                Detail.changed("members", $0.members.joined(separator: ", "), $1.members.joined(separator: ", ")),
                Detail.changed("rule", $0.rule?.text, $1.rule?.text),
            ]
        }
    }

    private var environments: [ProjectChange] {
        let added = new.environments.map(\.key).filter { !sharedEnvironments.contains($0) }
        let rules = added.filter { rulesSharedBy($0) == nil }.map { (environment: $0, changes: self.rules(in: $0)) }
        return PartPairs(old.environments, new.environments, key: \.key)
            .changes("environment") {
                [Detail.changed("SDK keys", $0.sdkKeys.joined(separator: ", "), $1.sdkKeys.joined(separator: ", "))]
            } added: { environment in
                if let other = rulesSharedBy(environment.key) { return "all flags have the rules of \(other)" }
                let isSilent = rules.first { $0.environment == environment.key }?.changes.isEmpty == true
                return isSilent ? "all flags are off" : "flags that are not named here are off"
            } + rules.flatMap(\.changes)
    }

    /// Another environment, which is not new, in which all flags have the same rules.
    private func rulesSharedBy(_ environment: String) -> String? {
        sharedEnvironments.first { other in
            new.flags.allSatisfy { $0.rules(in: environment) == $0.rules(in: other) }
        }
    }

    /// The effects of the flags in a new environment.
    private func rules(in environment: String) -> [ProjectChange] {
        new.flags.flatMap {
            $0.rules(in: environment).additions(to: ["environment \(environment)", "flag \($0.key)"])
        }
    }

    private var plainParts: [ProjectChange] {
        PartPairs(old.attributes, new.attributes).changes("attribute") {
            [Detail.verbatim($0.verbatim, $1.verbatim)]
        }
            + PartPairs(old.events, new.events).changes("event") {
                [Detail.verbatim($0.verbatim, $1.verbatim)]
            }
            + PartPairs(old.metrics, new.metrics).changes("metric") {
                [Detail.changed("measures", $0.metric.definition, $1.metric.definition)]
            } added: {
                $0.metric.definition
            }
    }

    private var audiences: [ProjectChange] {
        PartPairs(old.audiences, new.audiences).changes("audience") {
            Detail.condition("", $0.condition, $1.condition)
                + [
                    Detail.changed("description", $0.description, $1.description),
                    Detail.verbatim($0.verbatim, $1.verbatim),
                ]
        } added: {
            $0.condition.words
        }
    }

    private var flags: [ProjectChange] {
        let parts = PartPairs(old.flags, new.flags)
        return parts.changes("flag") { _, _ in
            []
        } added: {
            "variations "
                + ($0.variations.isEmpty ? AuthoredVariation.offKey : $0.variations.map(\.key).joined(separator: ", "))
        }
            + parts.added.flatMap {
                FlagComparison(old: $0, new: $0, environments: new.environments.map(\.key)).additions
            }
            + parts.common.flatMap { before, after in
                FlagComparison(old: before, new: after, environments: sharedEnvironments).changes
            }
    }

    private var standaloneExperiments: [ProjectChange] {
        PartPairs(old.experiments, new.experiments).changes("experiment") {
            $0.details(comparedTo: $1)
        } added: {
            $0.summary
        }
    }

    private var groups: [ProjectChange] {
        PartPairs(old.groups, new.groups).changes("group") { before, after in
            let shares = { (group: AuthoredGroup) in
                group.members.map { (name: $0.experiment.name, value: $0.traffic.percent) }
            }
            return [Detail.changed("exclusive", before.isExclusive, after.isExclusive)]
                + Detail.shares("", shares(before), shares(after)) + [Detail.verbatim(before.verbatim, after.verbatim)]
        } added: { group in
            "a user takes part in at most one of "
                + group.members.map { "\($0.experiment.name) (\($0.traffic.percent))" }.joined(separator: ", ")
        }
    }

    private var holdouts: [ProjectChange] {
        PartPairs(old.holdouts, new.holdouts).changes("holdout") {
            $0.details(comparedTo: $1)
        } added: {
            $0.summary
        }
    }
}

extension SegmentRule {
    fileprivate var text: String {
        "\(times) × \(event)" + (days.map { " in \($0) days" } ?? "") + (revenue.map { ", revenue \($0)" } ?? "")
    }
}

extension ProjectComparison {
    /// The changes of configurations for RolloutManager.
    var configurations: [ProjectChange] {
        PartPairs(old.configurations, new.configurations, key: \.key)
            .changes("configuration") {
                let (before, after) = (Self.experiments($0), Self.experiments($1))
                let keys = before.map(\.key) + after.map(\.key).filter { key in !before.contains { $0.key == key } }
                return keys.map { key in
                    Detail.changed(
                        key, before.first { $0.key == key }?.text ?? "none",
                        after.first { $0.key == key }?.text ?? "none")
                }
            }
    }

    /// The experiments of all versions, as texts.
    private static func experiments(_ configuration: AuthoredConfiguration) -> [(key: String, text: String)] {
        let own = configuration.experiments.map { (key: $0.key, text: text(of: $0)) }
        return configuration.versions.reduce(own) { all, version in
            all + version.experiments.map { (key: "\($0.key) in version \(version.key)", text: text(of: $0)) }
        }
    }

    private static func text(of experiment: AuthoredConfiguration.Experiment) -> String {
        let variants = experiment.variants.map { "\($0.key) \(Hundredths.text($0.weight))" }.joined(separator: ", ")
        let filters = [("countries", experiment.countries), ("languages", experiment.languages)]
            .filter { !$0.1.isEmpty }.map { "; \($0.0) \($0.1.joined(separator: ", "))" }.joined()
        return variants + filters + (experiment.isSticky ? "; sticky" : "")
    }
}

/// The parts with the same name but different ids in two projects. Programs and results treat them as different parts.
struct IDComparison {
    private let old: LockFile
    private let new: LockFile

    init(from old: LockFile, to new: LockFile) { (self.old, self.new) = (old, new) }

    /// The changes, each with what follows from it.
    var changes: [ProjectChange] {
        new.ids.keys.sorted().compactMap { path in
            guard let before = old.ids[path], let after = new.ids[path], !before.hasSameBytes(as: after),
                let (subject, environment) = Self.place(of: path)
            else { return nil }
            let detail = "id \(before) → \(after): \(path.kind.consequence)"
            return ProjectChange(.changed, subject, detail, environments: environment.map { [$0] } ?? [])
        }
    }

    /// The part in the words of the comparison, and its environment; nil for those that the project file does not name.
    private static func place(of path: EntityPath) -> (subject: [String], environment: String?)? {
        let keys = path.keys
        let name = path.kind.rawValue + " "
        switch (path.kind, keys.count) {
        case (.attribute, _), (.event, _), (.audience, 1), (.flag, _): return ([name + keys[0]], nil)
        case (.variable, _), (.variation, 2): return (["flag " + keys[0], name + keys[1]], nil)
        case (.rule, 3) where !keys[2].isEmpty:
            return (keys[1].isEmpty ? ["experiment " + keys[2]] : ["flag " + keys[1], name + keys[2]], keys[0])
        case (.group, _), (.holdout, _): return ([name + keys[1]], keys[0])
        case (.project, _), (.audience, _), (.variation, _), (.rollout, _), (.rule, _), (.layer, _): return nil
        }
    }
}

extension EntityPath.Kind {
    /// The consequence of another id. Users are assigned by the ids of rules, groups and holdouts; results and stored
    /// assignments are kept by ids.
    fileprivate var consequence: String {
        switch self {
        case .rule, .group, .holdout: "its users are assigned anew"
        case .variation: "results start again, and stored assignments to it are lost"
        case .attribute, .event: "results before and after are kept apart"
        case .project, .audience, .flag, .variable, .rollout, .layer: "programs that use ids see another \(rawValue)"
        }
    }
}
