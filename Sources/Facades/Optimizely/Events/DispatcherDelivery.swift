import Dispatch
import Foundation
import TurnoutClient

/// Passes events from the queue to the dispatcher's `sendEvent`, which may be overridden, and returns the result.
final class DispatcherDelivery: Sendable {
    /// A separate queue, because overrides may block.
    private let queue = DispatchQueue(label: "turnout.events")
    private let dispatcher = Locked<WeakUncheckedSendable<DefaultEventDispatcher>?>(nil)
    private let marker = DispatchSpecificKey<Bool>()
    /// The causes of failures of requests in flight, by event; the public completion handlers cannot carry them.
    private let failures = Locked<[ObjectIdentifier: Failure]>([:])
    /// The maximum age of events; nil means no limit.
    let maximumAge = Locked<Duration?>(nil)

    /// Why a request did not succeed.
    enum Failure: Sendable {
        case response(HTTPResponse)
        case noResponse(TransportError)
    }

    init() { queue.setSpecific(key: marker, value: true) }

    /// Sets the dispatcher, which is not retained.
    func serve(_ dispatcher: DefaultEventDispatcher) {
        let dispatcher = WeakUncheckedSendable(dispatcher)
        self.dispatcher.withLock { $0 = dispatcher }
    }

    /// Whether the current thread is inside a call to `sendEvent`; waiting for delivery there would deadlock.
    var isCalling: Bool { DispatchQueue.getSpecific(key: marker) == true }

    /// Records why a request failed.
    func note(_ failure: Failure, of event: EventForDispatch) {
        failures.withLock { $0[ObjectIdentifier(event)] = failure }
    }

    /// Sends events and waits for the result. If an override of `sendEvent` does not complete within the limit, the
    /// delivery fails.
    func deliver(_ events: [OutgoingEvent], within limit: Duration) async throws -> EventReply {
        if dispatcher.withLock({ $0 })?.object?.hasNoTransport == true { throw DeliveryPostponed() }
        guard let event = EventForDispatch.joining(events) else { return .accepted }
        let outcome = OneShot<Result<Void, any Error>>()
        let sent = await value(within: limit, on: .continuous, executor: DispatchExecutor.blockingCallers) {
            self.queue.async { self.send(event, outcome) }
            return await outcome.value()
        }
        outcome.end(nil)
        let failure = failures.withLock { $0.removeValue(forKey: ObjectIdentifier(event)) }
        let late = TransportError(.deadlineExceeded, "sending did not end")
        guard case .failure(let error) = (sent ?? nil) ?? .failure(late) else { return .accepted }
        switch failure {
        case .response(let response)?: return EventReply(response, count: events.count)
        case .noResponse(let error)?: throw error
        case nil: throw (error as? OptimizelyError).map(DispatchFailure.init) ?? error
        }
    }

    private func send(_ event: EventForDispatch, _ outcome: OneShot<Result<Void, any Error>>) {
        guard let dispatcher = dispatcher.withLock({ $0 })?.object else {
            outcome.end(.failure(DeliveryPostponed()))
            return
        }
        dispatcher.willSend(event)
        // An override may call the completion twice, or never.
        let callback = OnceCallback<Data> { result in
            switch result {
            case .success: outcome.end(.success(()))
            case .failure(let error): outcome.end(.failure(error))
            }
        }
        dispatcher.sendEvent(event: event) { result in callback.give { result } }
    }
}

/// The error that an override reports for a failed request.
private struct DispatchFailure: PrintableError {
    let description: String

    init(_ error: OptimizelyError) { description = error.reason }
}
