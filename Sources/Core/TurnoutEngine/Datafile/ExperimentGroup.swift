/// A group of mutually exclusive experiments.
public struct ExperimentGroup: Sendable {
    let project: Project
    let index: Int

    var row: GroupRow { project.tables.groups[index] }

    /// The id that is hashed to choose one of the experiments.
    public var id: String { project.text(row.id) }
    /// Whether a user takes part in at most one of the experiments. If not, the group has no effect.
    public var isExclusive: Bool { row.policy == .random }
    /// The experiments of the group.
    public var experiments: [Rule] { row.experiments.range.map { Rule(project: project, index: $0) } }
    /// Which share of users may take part in which experiment.
    public var traffic: [TrafficRange] { project.trafficRanges(row.traffic) { project.tables.rules[$0].key } }
}

extension Project {
    /// The groups of experiments.
    public var groups: [ExperimentGroup] { tables.groups.indices.map { ExperimentGroup(project: self, index: $0) } }
    /// The holdouts that apply to all flags.
    public var globalHoldouts: [Rule] { tables.globalHoldouts.range.map { Rule(project: self, index: $0) } }
    /// The holdouts that apply to single rules.
    public var localHoldouts: [Rule] { tables.localHoldouts.range.map { Rule(project: self, index: $0) } }
    /// All experiments: ungrouped ones first, then those of each group.
    public var experiments: [Rule] { tables.experimentRows.map { Rule(project: self, index: Int($0)) } }

    /// The experiment with a key, or nil. Rollout rules and holdouts are not experiments.
    public func experiment(_ key: String) -> Rule? {
        tables.symbols.find(key).flatMap { tables.experimentsByKey[$0] }.map { Rule(project: self, index: $0) }
    }
}
