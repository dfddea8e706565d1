/// A destination that is backing off: nothing is sent to it for a while, because sending failed.
package enum BlockedDestination: Sendable, Hashable {
    /// All destinations: the store cannot be read, or another client or process delivers its events.
    case everything
    /// An address that does not answer or is not a receiver of events, regardless of the datafile.
    case address(String)
    /// The events for one datafile or key that their receiver does not accept; it may accept others.
    case group(OutgoingEvent.Group)
}

extension Set<BlockedDestination> {
    /// Whether the destination of a group is blocked.
    func covers(_ group: OutgoingEvent.Group, _ endpoints: EventEndpoints) -> Bool {
        guard !isEmpty else { return false }
        return contains(.everything) || contains(.address(endpoints.address(of: group))) || contains(.group(group))
    }
}
