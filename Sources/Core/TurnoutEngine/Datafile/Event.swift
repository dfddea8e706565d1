/// A conversion that a project counts.
public struct Event: Sendable {
    let project: Project
    let index: Int

    private var row: EventRow { project.tables.events[index] }

    /// The id that is sent.
    public var id: String { project.text(row.id) }
    /// The key that people use.
    public var key: String { project.text(row.key) }
    /// The ids of the experiments that the event is a metric of.
    public var experimentIDs: [String] {
        row.experimentIDs.range.map { project.text(project.tables.symbolLists[$0]) }
    }
}

/// Another system that a project works with.
public struct Integration: Sendable, Equatable {
    /// What it is: `odp` is the service that knows the segments of users.
    public let key: String
    /// The address of the service.
    public let host: String?
    /// The key that the service knows the project by.
    public let publicKey: String?
}

extension Project {
    /// The conversions in the datafile's order.
    public var events: [Event] { tables.events.indices.map { Event(project: self, index: $0) } }

    /// The conversion with a key, or nil. Of several with one key the last.
    public func event(_ key: String) -> Event? {
        tables.symbols.find(key).flatMap { tables.eventsByKey[$0] }.map { Event(project: self, index: $0) }
    }

    /// The other systems that the project works with.
    public var integrations: [Integration] {
        tables.integrations.map { row in
            Integration(
                key: text(row.key), host: tables.symbols.optionalText(row.host),
                publicKey: tables.symbols.optionalText(row.publicKey))
        }
    }
}
