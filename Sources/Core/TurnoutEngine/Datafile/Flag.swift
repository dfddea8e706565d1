/// A feature flag of a project.
public struct Flag: Sendable {
    let project: Project
    let index: Int

    var row: FlagRow { project.tables.flags[index] }

    /// The flag's id.
    public var id: String { project.text(row.id) }
    /// The key that people use.
    public var key: String { project.text(row.key) }

    /// The flag's experiments, in the order in which they are tried.
    public var experiments: [Rule] {
        row.experiments.range.map { Rule(project: project, index: Int(project.tables.flagExperimentRows[$0])) }
    }

    /// The ids of the flag's experiments as written, those of missing experiments included.
    public var experimentIDs: [String] { row.experimentIDs.range.map { project.text(project.tables.symbolLists[$0]) } }

    /// The id of the flag's rollout; empty if it has none.
    public var rolloutID: String { project.text(row.rolloutID) }

    /// The flag's delivery rules, in the order in which they are tried; the last one is for everyone else.
    public var deliveryRules: [Rule] {
        guard row.rollout >= 0 else { return [] }
        return project.tables.rollouts[Int(row.rollout)].rules.range.map { Rule(project: project, index: $0) }
    }

    /// The flag's variables.
    public var variables: [Variable] { row.variables.range.map { Variable(project: project, index: $0) } }
}

extension Project {
    /// All flags in the datafile's order, which is the order of ``decideAll(for:remembering:predictions:options:)``.
    public var flags: [Flag] { tables.flags.indices.map { Flag(project: self, index: $0) } }

    /// The flag with a key, or nil. Of several with one key the last.
    public func flag(_ key: String) -> Flag? { flagRow(key).map { Flag(project: self, index: $0) } }

    /// Whether there is a flag with a key.
    @inline(__always)
    package func hasFlag(_ key: String) -> Bool { flagRow(key) != nil }

    /// The number of the flag with a key, or nil.
    @inline(__always)
    package func flagRow(_ key: String) -> Int? { tables.symbols.find(key).flatMap { tables.flagsByKey[$0] } }
}
