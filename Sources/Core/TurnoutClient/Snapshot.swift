/// What a client decides by at one moment.
package final class Snapshot: Sendable {
    /// The datafile.
    package let project: Project
    /// Writes the datafile's events.
    let encoder: EventEncoder
    /// What events of the datafile have in common.
    let group: OutgoingEvent.Group
    /// The variations that users are forced into, or nil: nobody ever was.
    let forcedVariations: ForcedVariations?

    init(
        project: Project, encoder: EventEncoder, group: OutgoingEvent.Group, forcedVariations: ForcedVariations?
    ) {
        self.project = project
        self.encoder = encoder
        self.group = group
        self.forcedVariations = forcedVariations
    }

    /// The event that an impression becomes.
    func event(_ impression: Impression, of user: User, stamp: EventStamp) -> OutgoingEvent {
        var writer = JSONWriter()
        encoder.writeVisitor(impression, of: user, stamp: stamp, to: &writer)
        return OutgoingEvent(group: group, visitor: writer.bytes, timestamp: stamp.timestamp)
    }

    /// The event that a conversion becomes.
    func event(_ conversion: Conversion, of user: User, stamp: EventStamp) -> OutgoingEvent {
        var writer = JSONWriter()
        encoder.writeVisitor(conversion, of: user, stamp: stamp, to: &writer)
        return OutgoingEvent(group: group, visitor: writer.bytes, timestamp: stamp.timestamp)
    }
}

/// Variations that users are forced into: variation ids by user and experiment id. They live as long as the client.
final class ForcedVariations: Sendable {
    private let table = Locked<[String: [String: String]]>([:])

    subscript(userID: String) -> [String: String] { table.withLock { $0[userID] ?? [:] } }

    func set(_ variationID: String?, experimentID: String, userID: String) {
        table.withLock { table in
            table[userID, default: [:]][experimentID] = variationID
            if table[userID]?.isEmpty == true { table[userID] = nil }
        }
    }
}
