/// A group of experiments that exclude each other.
public struct ExperimentGroup: Sendable {
    let project: Project
    let index: Int

    var row: GroupRow { project.tables.groups[index] }

    /// The id that users are bucketed with to choose one of the experiments.
    public var id: String { project.text(row.id) }
    /// Whether a user takes part in at most one of the experiments. If not, the group changes nothing.
    public var isExclusive: Bool { row.policy == .random }
    /// The experiments of the group.
    public var experiments: [Rule] { row.experiments.range.map { Rule(project: project, index: $0) } }
    /// Which users may take part in which experiment.
    public var traffic: [TrafficRange] { project.trafficRanges(row.traffic) { project.tables.rules[$0].key } }
}

extension Project {
    /// The groups of experiments.
    public var groups: [ExperimentGroup] { tables.groups.indices.map { ExperimentGroup(project: self, index: $0) } }
    /// The holdouts that keep users out of every flag.
    public var globalHoldouts: [Rule] { tables.globalHoldouts.range.map { Rule(project: self, index: $0) } }
    /// The holdouts that keep users out of single rules.
    public var localHoldouts: [Rule] { tables.localHoldouts.range.map { Rule(project: self, index: $0) } }
    /// All experiments: those in no group, then those of each group.
    public var experiments: [Rule] { tables.experimentRows.map { Rule(project: self, index: Int($0)) } }

    /// The experiment with a key, or nil. Delivery rules and holdouts are not experiments.
    public func experiment(_ key: String) -> Rule? {
        tables.symbols.find(key).flatMap { tables.experimentsByKey[$0] }.map { Rule(project: self, index: $0) }
    }
}
