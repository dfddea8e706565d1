import Foundation
import TurnoutClient

extension EventForDispatch {
    /// The events in the queue's form. A batch that was encoded elsewhere is split, so that its events can be joined
    /// with others; any other body is sent alone and unchanged.
    var queued: [OutgoingEvent] {
        let address = url.absoluteString
        if let outgoing { return [outgoing.addressed(to: address, of: outgoing.group.key)] }
        let bytes = Array(body)
        if let events = EventBatchParts(bytes)?.events(to: address) { return events }
        let group = OutgoingEvent.Group(region: .us, envelope: "", address: address)
        return [OutgoingEvent(group: group, visitor: bytes)]
    }

    /// Joins events into one request; nil if there are none.
    static func joining(_ events: [OutgoingEvent]) -> EventForDispatch? {
        guard let group = events.first?.group else { return nil }
        return EventForDispatch(
            url: group.address.flatMap(URL.init(string:)), body: Data(OutgoingEvent.payload(of: events)),
            region: group.region == .eu ? .EU : .US, sdkKey: group.key)
    }
}

extension OutgoingEvent {
    /// A client's event with its SDK key, addressed to the current endpoint for its region.
    func addressed(of sdkKey: String, to addresses: EventAddresses) -> OutgoingEvent {
        addressed(to: addresses[group.region], of: sdkKey)
    }

    fileprivate func addressed(to address: String, of sdkKey: String?) -> OutgoingEvent {
        let group = Group(region: group.region, envelope: group.envelope, address: address, key: sdkKey)
        return OutgoingEvent(group: group, visitor: visitor, timestamp: timestamp)
    }

    /// The event, marked with the SDK key of the client that made it.
    func tagged(by sdkKey: String) -> OutgoingEvent {
        let group = Group(
            region: group.region, envelope: group.envelope, closing: group.closing, address: group.address, key: sdkKey)
        return OutgoingEvent(group: group, visitor: visitor, timestamp: timestamp)
    }
}
