import Foundation
import TurnoutClient

/// Hands a client's events to its dispatcher.
///
/// That of this library takes them at once. One of a caller's gets them one after the other, off the thread that
/// decided, between the calls of listeners.
final class DispatcherSink: EventSink {
    private let dispatcher: Handed<any OPTEventDispatcher>
    /// The dispatcher, if it is exactly this library's: a subclass may have overridden what taking passes by.
    private let standard: Handed<DefaultEventDispatcher?>
    private let queue: ListenerQueue

    init(_ dispatcher: any OPTEventDispatcher, queue: ListenerQueue) {
        self.dispatcher = Handed(dispatcher)
        standard = Handed(
            type(of: dispatcher) == DefaultEventDispatcher.self ? dispatcher as? DefaultEventDispatcher : nil)
        self.queue = queue
    }

    var losses: EventLosses {
        var losses = standard.value?.losses ?? EventLosses()
        losses.add(queue.lostCount, .noRoom)
        return losses
    }

    func accept(_ event: OutgoingEvent) -> EventAcceptance {
        if let standard = standard.value { return standard.accept(event) }
        queue.add { [dispatcher] in
            dispatcher.value.dispatchEvent(event: EventForDispatch(event), completionHandler: nil)
        }
        return .accepted
    }

    func flush() async { dispatcher.value.flushEvents() }

    func flush(within limit: Duration) async { dispatcher.value.flushEvents() }

    func close(within limit: Duration) async { dispatcher.value.close() }
}
