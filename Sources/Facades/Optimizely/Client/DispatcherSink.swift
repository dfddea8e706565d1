import Foundation
import TurnoutClient

/// Passes a client's events to its dispatcher.
///
/// This library's dispatcher queues them synchronously. A caller's dispatcher receives them one after the other, off
/// the thread that decided, interleaved with the calls of listeners.
final class DispatcherSink: EventSink {
    private let dispatcher: UncheckedSendable<any OPTEventDispatcher>
    /// The dispatcher, if its class is exactly this library's: a subclass may have overridden methods that the direct
    /// path bypasses.
    private let standard: UncheckedSendable<DefaultEventDispatcher?>
    private let queue: ListenerQueue
    private let sdkKey: String
    private let endpoints: EventAddresses
    private let owners: EventOwners

    /// - Parameters:
    ///   - dispatcher: Receives the events.
    ///   - sdkKey: The SDK key of the client, which events carry.
    ///   - endpoints: Where events are sent.
    ///   - owners: Records the projects for which the client creates events.
    ///   - queue: Calls a caller's dispatcher.
    init(
        _ dispatcher: any OPTEventDispatcher, sdkKey: String, endpoints: EventAddresses, owners: EventOwners,
        queue: ListenerQueue
    ) {
        self.endpoints = endpoints
        self.dispatcher = UncheckedSendable(dispatcher)
        self.sdkKey = sdkKey
        self.owners = owners
        standard = UncheckedSendable(
            type(of: dispatcher) == DefaultEventDispatcher.self ? dispatcher as? DefaultEventDispatcher : nil)
        self.queue = queue
    }

    var losses: EventLosses {
        var losses = standard.value?.losses ?? EventLosses()
        losses.add(queue.lostCount, .noRoom)
        return losses
    }

    func accept(_ event: OutgoingEvent) -> EventAcceptance {
        if let standard = standard.value { return standard.accept(event, of: sdkKey, to: endpoints) }
        owners.record(event.group.envelope)
        let event = event.tagged(by: sdkKey)
        queue.add { [dispatcher, endpoints] in
            dispatcher.value.dispatchEvent(
                event: EventForDispatch(event, to: endpoints), completionHandler: nil)
        }
        return .accepted
    }

    func accept(_ events: [OutgoingEvent]) {
        if let standard = standard.value { return standard.accept(events, of: sdkKey, to: endpoints) }
        for event in events { _ = accept(event) }
    }

    func acceptDurably(_ events: [OutgoingEvent]) async -> [EventAcceptance] {
        guard let standard = standard.value else { return events.map { accept($0) } }
        return await standard.acceptDurably(events, of: sdkKey, to: endpoints)
    }

    var waits: Bool { standard.value?.waits ?? false }

    func flush() async { dispatcher.value.flushEvents() }

    func flush(within limit: Duration) async { dispatcher.value.flushEvents() }

    func close(within limit: Duration) async { dispatcher.value.close() }
}
