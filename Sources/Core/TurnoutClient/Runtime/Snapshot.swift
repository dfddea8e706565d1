/// An installed datafile with the common data of its events. Immutable.
package final class Snapshot: Sendable {
    package let project: Project
    let encoder: EventEncoder
    /// The envelope of the datafile's events.
    let group: OutgoingEvent.Group
    /// The forced variations, or nil if none was ever set.
    let forcedVariations: ForcedVariations?

    init(
        project: Project, encoder: EventEncoder, group: OutgoingEvent.Group, forcedVariations: ForcedVariations?
    ) {
        self.project = project
        self.encoder = encoder
        self.group = group
        self.forcedVariations = forcedVariations
    }

    /// The event for an impression.
    func event(_ impression: Impression, of user: User, stamp: EventStamp) -> OutgoingEvent {
        var writer = JSONWriter()
        encoder.writeVisitor(impression, of: user, stamp: stamp, to: &writer)
        return OutgoingEvent(group: group, visitor: writer.bytes, timestamp: stamp.timestamp)
    }

    /// The event for a conversion.
    func event(_ conversion: Conversion, of user: User, stamp: EventStamp) -> OutgoingEvent {
        var writer = JSONWriter()
        encoder.writeVisitor(conversion, of: user, stamp: stamp, to: &writer)
        return OutgoingEvent(group: group, visitor: writer.bytes, timestamp: stamp.timestamp)
    }
}
