/// A feature flag of a project.
public struct Flag: Sendable {
    let project: Project
    let index: Int

    var row: FlagRow { project.tables.flags[index] }

    /// The flag's id.
    public var id: String { project.text(row.id) }
    /// The flag's key.
    public var key: String { project.text(row.key) }

    /// The flag's experiments, in evaluation order.
    public var experiments: [Rule] {
        row.experiments.range.map { Rule(project: project, index: Int(project.tables.flagExperimentRows[$0])) }
    }

    /// The ids of the flag's experiments as in the datafile, including missing ones.
    public var experimentIDs: [String] { row.experimentIDs.range.map { project.text(project.tables.symbolLists[$0]) } }

    /// The id of the flag's rollout; empty if it has none.
    public var rolloutID: String { project.text(row.rolloutID) }

    /// The flag's rollout rules, in evaluation order; the last one is for everyone else.
    public var rolloutRules: [Rule] {
        guard row.rollout >= 0 else { return [] }
        return project.tables.rollouts[Int(row.rollout)].rules.range.map { Rule(project: project, index: $0) }
    }

    /// The flag's variables.
    public var variables: [Variable] { row.variables.range.map { Variable(project: project, index: $0) } }
}

extension Project {
    /// All flags, in the datafile's order, which ``decideAll(for:profile:predictions:options:)`` uses too.
    public var flags: [Flag] { tables.flags.indices.map { Flag(project: self, index: $0) } }

    /// The flag with a key, or nil. If several have the same key, the last one.
    public func flag(_ key: String) -> Flag? { flagRow(key).map { Flag(project: self, index: $0) } }

    /// Whether there is a flag with the key.
    @inline(__always)
    package func hasFlag(_ key: String) -> Bool { flagRow(key) != nil }

    /// The row of the flag with a key, or nil.
    @inline(__always)
    package func flagRow(_ key: String) -> Int? { tables.symbols.find(key).flatMap { tables.flagsByKey[$0] } }

    /// The ids of the experiments of the flag at a row.
    package func experimentIDs(ofFlag row: Int) -> [String] { Flag(project: self, index: row).experimentIDs }
}

/// A conversion event that a project defines.
public struct Event: Sendable {
    let project: Project
    let index: Int

    private var row: EventRow { project.tables.events[index] }

    /// The id that events carry.
    public var id: String { project.text(row.id) }
    /// The event's key.
    public var key: String { project.text(row.key) }
    /// The ids of the experiments that use the event as a metric.
    public var experimentIDs: [String] {
        row.experimentIDs.range.map { project.text(project.tables.symbolLists[$0]) }
    }
}

/// An external service that a project is integrated with.
public struct Integration: Sendable, Equatable {
    /// The service: `odp` for the Optimizely Data Platform, which returns users' segments.
    public let key: String
    /// The address of the service.
    public let host: String?
    /// The project's public key for the service.
    public let publicKey: String?
}

extension Project {
    /// The conversion events, in the datafile's order.
    public var events: [Event] { tables.events.indices.map { Event(project: self, index: $0) } }

    /// The conversion event with a key, or nil. If several have the same key, the last one.
    public func event(_ key: String) -> Event? {
        tables.symbols.find(key).flatMap { tables.eventsByKey[$0] }.map { Event(project: self, index: $0) }
    }

    /// The external services that the project is integrated with.
    public var integrations: [Integration] {
        tables.integrations.map { row in
            Integration(
                key: text(row.key), host: tables.symbols.optionalText(row.host),
                publicKey: tables.symbols.optionalText(row.publicKey))
        }
    }
}
