import Dispatch
import Foundation
import TurnoutClient

/// Takes events from the queue to the dispatcher's `sendEvent`, which callers override, and brings back the outcome.
final class EventCourier: Sendable {
    /// Overrides may wait for something, so they get a thread that nobody else needs.
    private let queue = DispatchQueue(label: "turnout.events")
    private let dispatcher = Locked<HandedWeakly<DefaultEventDispatcher>?>(nil)
    private let marker = DispatchSpecificKey<Bool>()
    /// The answer to the request under way, if it was no success; callers' completions have no room for it.
    private let refusal = Locked<(event: ObjectIdentifier, response: HTTPResponse)?>(nil)

    init() { queue.setSpecific(key: marker, value: true) }

    /// Works for a dispatcher, without keeping it.
    func serve(_ dispatcher: DefaultEventDispatcher) {
        let dispatcher = HandedWeakly(dispatcher)
        self.dispatcher.withLock { $0 = dispatcher }
    }

    /// Whether the caller is being called for the sending of an event; waiting for that would take for ever.
    var isCalling: Bool { DispatchQueue.getSpecific(key: marker) == true }

    /// Remembers an answer that was no success.
    func note(_ response: HTTPResponse, to event: EventForDispatch) {
        refusal.withLock { $0 = (ObjectIdentifier(event), response) }
    }

    /// Has events sent, and waits for the outcome. A way of sending that never ends, as programs may bring one, has
    /// failed after a while.
    func deliver(_ events: [OutgoingEvent], within limit: Duration) async throws -> EventReply {
        if dispatcher.withLock({ $0 })?.object?.hasNoWay == true { throw EventsMustWait() }
        guard let event = EventForDispatch.joining(events) else { return .accepted }
        let outcome = DeliveryOutcome()
        let end = await value(within: limit, on: .continuous, executor: DispatchExecutor.waitedFor) {
            await withCheckedContinuation { continuation in
                outcome.wait(continuation)
                self.queue.async { self.send(event, outcome) }
            }
        }
        outcome.end(TransportError(.deadlineExceeded, "sending did not end"))
        guard let error = end ?? TransportError(.deadlineExceeded, "sending did not end") else { return .accepted }
        let refusal = refusal.withLock { refusal in
            defer { refusal = nil }
            return refusal
        }
        guard let refusal, refusal.event == ObjectIdentifier(event) else { throw error }
        return EventReply(refusal.response, count: events.count)
    }

    private func send(_ event: EventForDispatch, _ outcome: DeliveryOutcome) {
        guard let dispatcher = dispatcher.withLock({ $0 })?.object else { return outcome.end(CancellationError()) }
        dispatcher.willSend(event)
        // An override may answer twice, or never.
        let answer = SingleAnswer<Data> { result in
            switch result {
            case .success: outcome.end(nil)
            case .failure(let error): outcome.end(error)
            }
        }
        dispatcher.sendEvent(event: event) { result in answer.give { result } }
    }
}

/// The end of a delivery, which the sender reports or the clock brings about; the first one counts.
private final class DeliveryOutcome: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<(any Error)?, Never>)
        case over((any Error)?)
    }

    private let state = Locked(State.new)

    /// Resumes a continuation when the delivery is over, with an error or nil: it went well.
    func wait(_ continuation: CheckedContinuation<(any Error)?, Never>) {
        let end: ((any Error)?)? = state.withLock { state in
            if case .over(let error) = state { return .some(error) }
            state = .waiting(continuation)
            return nil
        }
        if let end { continuation.resume(returning: end) }
    }

    /// Ends the delivery, with an error or well.
    func end(_ error: (any Error)?) {
        let waiting: CheckedContinuation<(any Error)?, Never>? = state.withLock { state in
            defer { if case .over = state {} else { state = .over(error) } }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
        waiting?.resume(returning: error)
    }
}
