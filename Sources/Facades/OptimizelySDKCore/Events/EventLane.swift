import Foundation
import Optimizely
import TurnoutClient

/// The events of one kind on their way.
final class EventLane: Sendable {
    /// Who wants to know what became of events, by their payloads. Equal ones come to their ends in order.
    private final class Callbacks: Sendable {
        private struct Waiting {
            /// Nil: nobody wants to know, or somebody knows already that sending failed.
            var callback: Handed<OPTLYEventDispatcherResponse>?
            var attempts = 0
        }

        private let table = Locked<[[UInt8]: [Waiting]]>([:])

        func add(_ callback: OPTLYEventDispatcherResponse?, for event: OutgoingEvent) {
            table.withLock { [callback = callback.map { Handed($0) }] table in
                guard callback != nil || table[event.visitor] != nil else { return }
                table[event.visitor, default: []].append(Waiting(callback: callback))
            }
        }

        /// Tells who waits for an event that it is at its end, or that `attempts` to send it have failed.
        func tell(_ outcome: EventPost.Outcome, of event: OutgoingEvent, isOver: Bool = true, attempts: Int = 1) {
            let callback: Handed<OPTLYEventDispatcherResponse>? = table.withLock { table in
                guard var events = table[event.visitor], !events.isEmpty else { return nil }
                events[0].attempts += 1
                let callback = isOver || events[0].attempts >= attempts ? events[0].callback : nil
                if callback != nil { events[0].callback = nil }
                if isOver { events.removeFirst() }
                table[event.visitor] = events.isEmpty ? nil : events
                return callback
            }
            if let callback { BlockingCall.start { callback.value(outcome.data, outcome.response, outcome.error) } }
        }
    }

    /// More are not sent in one go; the rest follows after a second.
    private static let requestsPerFlush = 20

    private let queue: EventQueue
    private let callbacks = Callbacks()

    init(_ name: String, limit: Int, interval: Int, _ world: World, _ log: any Log) {
        var options = EventOptions()
        options.eventsPerRequest = 1
        options.requestsPerRun = Self.requestsPerFlush
        options.interval = .zero
        options.firstDelay = .seconds(1)
        if interval > 0 { options.longestDelay = .seconds(min(interval, 31_536_000)) }
        // More than anybody keeps in a file, and far from what overflows.
        let limit = min(limit, 1_000_000_000)
        let store = BoundedEventStore(world.storage.events(named: name, limit: 2 * limit), limit: limit) {
            [callbacks] lost in
            log(.error, "too many events wait: the oldest \(lost.count) are given up")
            let error = OPTLYErrorTypes.eventDispatch.error("too many events wait")
            for event in lost { callbacks.tell(.init(error: error), of: event) }
        }
        queue = EventQueue(
            store: store, delivery: Self.delivery(over: world.transport, callbacks, attempts: options.attempts),
            options: options, services: Self.services(world, log))
        queue.start()
    }

    private static func services(_ world: World, _ log: any Log) -> EventServices {
        var services = EventServices()
        services.clock = world.clock
        services.wallClock = world.wallClock
        services.random = world.random
        services.log = log
        return services
    }

    private static func delivery(
        over transport: (any Transport)?, _ callbacks: Callbacks, attempts: Int
    ) -> EventDelivery {
        { events in
            // Events have no envelope, so each comes by itself.
            guard let event = events.first else { return .accepted }
            let outcome = await EventPost(event).outcome(over: transport)
            guard transport != nil else {
                callbacks.tell(outcome, of: event, isOver: false)
                throw EventsMustWait()
            }
            switch outcome.reply {
            case .accepted, .invalid, .refused, .tooLarge: callbacks.tell(outcome, of: event)
            case .misconfigured: callbacks.tell(outcome, of: event, isOver: false)
            case .busy, nil: callbacks.tell(outcome, of: event, isOver: false, attempts: attempts)
            }
            return outcome.reply ?? .busy(retryAfter: nil)
        }
    }

    /// Takes over an event.
    func dispatch(_ params: [AnyHashable: Any], _ callback: OPTLYEventDispatcherResponse?) {
        guard let event = OutgoingEvent(parameters: params) else {
            callback?(nil, nil, OPTLYErrorTypes.eventDispatch.error("the event is no JSON object"))
            return
        }
        callbacks.add(callback, for: event)
        guard queue.accept(event) == .lost else { return }
        callbacks.tell(.init(error: OPTLYErrorTypes.eventDispatch.error("the event could not be kept")), of: event)
    }

    /// Sends the oldest of what waits, at most for some time.
    func flush() async { await queue.flush(within: .seconds(10)) }
}
