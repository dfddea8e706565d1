import Foundation
import Optimizely
import Synchronization
import TurnoutClient

/// The queue of impressions or of conversions.
final class EventLane: Sendable {
    /// The completion handlers of events, by payload. Each is called once; for equal events, in order.
    private final class Callbacks: Sendable {
        private struct Waiting {
            var callbacks: [UncheckedSendable<OPTLYEventDispatcherResponse>?] = []
            var region: Project.Region
        }

        private struct State {
            var table: [[UInt8]: Waiting] = [:]
            /// Failed attempts in a row.
            var attempts: [Project.Region: Int] = [:]
        }

        private let state = Locked(State())

        // After this, the events are no longer delivered, and nothing else would call their handlers.
        deinit {
            let error = OPTLYErrorTypes.eventDispatch.error("the dispatcher was released; the event stays queued")
            call(state.withLock { $0.table.values.flatMap(\.callbacks) }, .init(error: error))
        }

        func add(_ callback: OPTLYEventDispatcherResponse?, for event: OutgoingEvent) {
            state.withLock { [callback = callback.map { UncheckedSendable($0) }] state in
                guard callback != nil || state.table[event.visitor] != nil else { return }
                state.table[event.visitor, default: Waiting(region: event.group.region)].callbacks.append(callback)
            }
        }

        /// The event is finished, or delivery backs off.
        func tell(_ outcome: EventPost.Outcome, of event: OutgoingEvent) {
            let callback: UncheckedSendable<OPTLYEventDispatcherResponse>? = state.withLock { state in
                guard var waiting = state.table[event.visitor], !waiting.callbacks.isEmpty else { return nil }
                let callback = waiting.callbacks.removeFirst()
                state.table[event.visitor] = waiting.callbacks.isEmpty ? nil : waiting
                return callback
            }
            call([callback], outcome)
        }

        /// The receiver of an event responded.
        func responded(_ event: OutgoingEvent) { state.withLock { $0.attempts[event.group.region] = nil } }

        /// Records a failed attempt to reach the receiver of an event. After `attempts` of them the completion handlers
        /// of all events for that receiver are called, because delivery to it backs off.
        func failed(_ event: OutgoingEvent, _ outcome: EventPost.Outcome, attempts: Int) {
            let region = event.group.region
            let callbacks: [UncheckedSendable<OPTLYEventDispatcherResponse>?] = state.withLock { state in
                state.attempts[region, default: 0] += 1
                guard (state.attempts[region] ?? 0) >= attempts else { return [] }
                defer { state.table = state.table.filter { $0.value.region != region } }
                return state.table.values.filter { $0.region == region }.flatMap(\.callbacks)
            }
            call(callbacks, outcome)
        }

        private func call(_ callbacks: [UncheckedSendable<OPTLYEventDispatcherResponse>?], _ outcome: EventPost.Outcome)
        {
            for callback in callbacks.compactMap(\.self) {
                BlockingCall.start { callback.value(outcome.data, outcome.response, outcome.error) }
            }
        }
    }

    /// The maximum number of requests in a row; the rest follows after a second.
    private static let requestsPerFlush = 20

    private let name: String
    private let limit: Int
    private let store: any EventStore
    private let queue: EventQueue
    private let callbacks = Callbacks()
    private let log: any Log
    /// The number of events that were given up. Held while they are removed: each must be reported once.
    private let lostCount = Locked(0)
    private let isTrimming = Atomic(false)

    init(_ name: String, limit: Int, interval: Int, _ environment: HostEnvironment, _ log: any Log) {
        var options = EventOptions()
        options.eventsPerRequest = 1
        options.requestsPerRun = Self.requestsPerFlush
        options.interval = .zero
        options.firstDelay = .seconds(1)
        if interval > 0 { options.longestDelay = .seconds(min(interval, 31_536_000)) }
        // Larger than any practical queue, and small enough not to overflow.
        self.limit = min(limit, 1_000_000_000)
        self.name = name
        self.log = log
        store = environment.storage.events(named: name, limit: 2 * self.limit)
        queue = EventQueue(
            store: store, delivery: Self.delivery(over: environment.transport, callbacks, attempts: options.attempts),
            options: options, services: Self.services(environment, log))
        queue.start()
    }

    private static func services(_ environment: HostEnvironment, _ log: any Log) -> EventServices {
        var services = EventServices()
        services.clock = environment.clock
        services.wallClock = environment.wallClock
        services.random = environment.random
        services.log = log
        services.monitor = DeliveryMonitor(changes: ChangeSignal())
        return services
    }

    private static func delivery(
        over transport: (any Transport)?, _ callbacks: Callbacks, attempts: Int
    ) -> EventDelivery {
        { events in
            // Events have no envelope, so each is delivered alone.
            guard let event = events.first else { return .accepted }
            let outcome = await EventPost(event).outcome(over: transport)
            guard transport != nil else {
                callbacks.failed(event, outcome, attempts: 1)
                throw DeliveryPostponed()
            }
            switch outcome.reply {
            case .accepted, .invalid, .refused:
                callbacks.responded(event)
                callbacks.tell(outcome, of: event)
            case .misconfigured: callbacks.failed(event, outcome, attempts: 1)
            case .busy: callbacks.failed(event, outcome, attempts: attempts)
            case nil: callbacks.failed(event, outcome, attempts: outcome.isBadAddress ? 1 : attempts)
            }
            if let failure = outcome.failure { throw failure }
            return outcome.reply ?? .busy(status: 0)
        }
    }

    func dispatch(_ params: [AnyHashable: Any], _ callback: OPTLYEventDispatcherResponse?) {
        guard let event = OutgoingEvent(parameters: params) else {
            callback?(nil, nil, OutgoingEvent.notJSON)
            return
        }
        callbacks.add(callback, for: event)
        guard queue.accept(event) == .lost else { return trimSoon() }
        let error = OPTLYErrorTypes.eventDispatch.error("the event could not be stored and is lost")
        callbacks.tell(.init(error: error), of: event)
    }

    /// Stores events without sending them. They are in the file when the call returns.
    func keep(_ events: [OutgoingEvent]) throws {
        for start in stride(from: 0, to: events.count, by: limit) {
            let next = Array(events[start...].prefix(limit))
            if let error = store.append(contentsOf: next).values.first { throw error }
            trim()
        }
        try store.synchronize()
    }

    // MARK: The limit

    /// Gives up the oldest events if there are more than the limit. In the background if the store is durable, because
    /// callers must not wait for a disk; until then it contains more.
    private func trimSoon() {
        guard store.count > limit else { return }
        guard store.isDurable else { return trim() }
        guard !isTrimming.exchange(true, ordering: .relaxed) else { return }
        BlockingCall.start {
            self.trim()
            self.isTrimming.store(false, ordering: .relaxed)
        }
    }

    /// Gives up the oldest tenth of the events until there are no more than the limit. After a failure the next event
    /// tries again.
    private func trim() {
        while let (lost, total) = removeOldest(), !lost.isEmpty {
            // Logged at each power of two: an outage of hours must not fill the log.
            if total.leadingZeroBitCount < (total - lost.count).leadingZeroBitCount {
                let events = total == 1 ? "the oldest event was" : "\(total) events were so far"
                log(.error, "more than \(limit) \(name) are undelivered: \(events) given up")
            }
            let error = OPTLYErrorTypes.eventDispatch.error(
                "the event was given up: more than \(limit) are undelivered")
            for event in lost { callbacks.tell(.init(error: error), of: event) }
        }
    }

    private func removeOldest() -> (events: [OutgoingEvent], total: Int)? {
        lostCount.withLock { count in
            guard store.count > limit, let oldest = try? store.oldest(max(1, limit / 10)),
                (try? store.remove(oldest.map(\.id))) != nil
            else { return nil }
            count += oldest.count
            return (oldest.map(\.event), count)
        }
    }

    /// The state of the queue and its delivery.
    var status: EventStatus { queue.status }

    func start() { queue.start() }

    /// Delivers the oldest queued events, for at most 10 seconds by default.
    func flush(within limit: Duration = .seconds(10)) async { await queue.flush(within: limit) }
}
