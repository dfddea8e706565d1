import Foundation
import Optimizely
import TurnoutClient

/// The events of one kind on their way.
final class EventLane: Sendable {
    /// Who wants to know what became of an event, by its payload, which holds an id of its own.
    private final class Callbacks: Sendable {
        private let table = Locked<[[UInt8]: (callback: Handed<OPTLYEventDispatcherResponse>, attempts: Int)]>([:])

        func add(_ callback: @escaping OPTLYEventDispatcherResponse, for event: OutgoingEvent) {
            let callback = Handed(callback)
            table.withLock { $0[event.visitor] = (callback, 0) }
        }

        /// Tells who waits for an event what became of it; a failed attempt only if it was the last one for now.
        func tell(_ outcome: EventPost.Outcome, of event: OutgoingEvent, attempts: Int = 1) {
            let callback: Handed<OPTLYEventDispatcherResponse>? = table.withLock { table in
                table[event.visitor]?.attempts += 1
                guard let waiting = table[event.visitor], waiting.attempts >= attempts else { return nil }
                table[event.visitor] = nil
                return waiting.callback
            }
            if let callback { BlockingCall.start { callback.value(outcome.data, outcome.response, outcome.error) } }
        }
    }

    private let queue: EventQueue
    private let callbacks = Callbacks()

    init(_ name: String, limit: Int, interval: Int, _ world: World, _ log: any Log) {
        var options = EventOptions()
        options.eventsPerRequest = 1
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
                callbacks.tell(outcome, of: event)
                throw EventsMustWait()
            }
            let isOver = if case .busy? = outcome.reply { false } else { outcome.reply != nil }
            callbacks.tell(outcome, of: event, attempts: isOver ? 1 : attempts)
            return outcome.reply ?? .busy(retryAfter: nil)
        }
    }

    /// Takes over an event.
    func dispatch(_ params: [AnyHashable: Any], _ callback: OPTLYEventDispatcherResponse?) {
        guard let event = OutgoingEvent(parameters: params) else {
            callback?(nil, nil, OPTLYErrorTypes.eventDispatch.error("the event is no JSON object"))
            return
        }
        if let callback { callbacks.add(callback, for: event) }
        guard queue.accept(event) == .lost else { return }
        callbacks.tell(.init(error: OPTLYErrorTypes.eventDispatch.error("the event could not be kept")), of: event)
    }

    /// Sends what waits, at most for some time.
    func flush() async { await queue.flush(within: .seconds(10)) }
}
