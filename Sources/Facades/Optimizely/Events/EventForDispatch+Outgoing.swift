import Foundation
import TurnoutClient

extension EventForDispatch {
    /// The event as the queue keeps it. Bodies that were made elsewhere are not taken apart: they travel alone.
    var queued: OutgoingEvent {
        let address = url.absoluteString
        guard let outgoing else {
            let group = OutgoingEvent.Group(region: .us, envelope: "", address: address)
            return OutgoingEvent(group: group, visitor: Array(body))
        }
        return outgoing.addressed(to: address)
    }

    /// Events that share a request, as one; nil: there are none.
    static func joining(_ events: [OutgoingEvent]) -> EventForDispatch? {
        guard let group = events.first?.group else { return nil }
        return EventForDispatch(
            url: group.address.flatMap(URL.init(string:)), body: Data(OutgoingEvent.payload(of: events)),
            region: group.region == .eu ? .EU : .US)
    }
}

extension OutgoingEvent {
    /// The event, on its way to where events of its region go now.
    var addressed: OutgoingEvent {
        addressed(to: group.region == .eu ? EventForDispatch.euEventEndpoint : EventForDispatch.eventEndpoint)
    }

    fileprivate func addressed(to address: String) -> OutgoingEvent {
        let group = Group(region: group.region, envelope: group.envelope, address: address)
        return OutgoingEvent(group: group, visitor: visitor, timestamp: timestamp)
    }
}
