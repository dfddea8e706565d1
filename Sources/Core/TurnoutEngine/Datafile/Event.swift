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
