/// Takes over segment events, and delivers them to the service that the datafile names.
///
/// An event is for the service of the moment it happened, whatever the datafile says when it leaves: keys and events of
/// two datafiles never mix. Events from before the first datafile are for the service that this names.
package final class SegmentEventQueue: Sendable {
    private struct State {
        var destination = SegmentEventDestination.unknown
        /// Events from before the first datafile.
        var early: [SegmentEvent] = []
        var queue: EventQueue
        var log: any Log
    }

    private let store: any EventStore
    private let limit: Int
    private let ledger = EventLedger()
    private let state: Locked<State>

    /// Creates a queue that only collects, until it is connected.
    ///
    /// - Parameters:
    ///   - store: Keeps events until they are delivered. Default: in memory.
    ///   - limit: How many events may wait for the first datafile, and in the store unless it has a limit of its own;
    ///     further ones are given up. The vendor's clients keep as many. Default: 100.
    package init(store: (any EventStore)? = nil, limit: Int = 100) {
        let store = store ?? .memory(limit: limit)
        self.store = store
        self.limit = limit
        let services = EventServices()
        let queue = EventQueue(store: store, delivery: nil, options: EventOptions(), services: services)
        state = Locked(State(queue: queue, log: services.log))
    }

    /// Says what events are delivered with from now on. Without a transport they only wait.
    package func connect(_ transport: (any Transport)?, deadline: Duration = .seconds(10), _ services: EventServices) {
        var options = EventOptions()
        // Whatever waits is tried at each occasion.
        options.interval = .zero
        options.requestDeadline = deadline
        let queue = EventQueue(store: store, transport: transport, options: options, services: services)
        state.withLock { state in
            state.queue = queue
            state.log = services.log
        }
    }

    /// How many events wait.
    package var count: Int { state.withLock { $0.early.count } + store.count }
    /// What was given up: there was no room, or the service does not want it.
    package var losses: EventLosses { ledger.losses + state.withLock { $0.queue }.losses }

    /// Takes over an event. Quick, and never fails: what cannot be kept is counted.
    package func accept(_ event: SegmentEvent) {
        let (destination, queue, log, isKept) = state.withLock { state in
            let isKept = state.destination == .unknown && state.early.count < limit
            if isKept { state.early.append(event) }
            return (state.destination, state.queue, state.log, isKept)
        }
        switch destination {
        case .service(let service): queue.accept(service.outgoing(event))
        case .nowhere: log(.debug, "segment event \(event.action) dropped, the datafile names no service for it")
        case .unknown where isKept: break
        case .unknown:
            let lost = ledger.add(1, .noRoom)
            // Each power of two: an outage of hours must not fill the log.
            if lost & (lost - 1) == 0 { log(.error, "segment events: no room, \(lost) lost so far") }
        }
    }

    /// Says where events go from now on. Those from before still go where they belong.
    package func update(to destination: SegmentEventDestination) {
        let (early, queue, log) = state.withLock { state in
            let isKnown = destination != .unknown
            defer { if isKnown { state.early = [] } }
            state.destination = destination
            return (isKnown ? state.early : [], state.queue, state.log)
        }
        switch destination {
        case .service(let service): for event in early { queue.accept(service.outgoing(event)) }
        case .nowhere where !early.isEmpty:
            log(.info, "segment events: \(early.count) dropped, the datafile names no service for them")
        case .nowhere, .unknown: break
        }
        // Whoever did not want them from the last datafile may want them from this one.
        Task(executorPreference: DispatchExecutor.waitedFor) { await queue.flush() }
    }

    /// Delivers what waits, as far as possible.
    package func flush() async { await state.withLock { $0.queue }.flush() }

    /// Delivers what waits, at most for some time. The queue goes on.
    package func close(within limit: Duration) async {
        let (queue, log) = state.withLock { ($0.queue, $0.log) }
        guard count > 0 else { return }
        await queue.flush(within: limit)
        if count > 0 { log(.warning, "closed with \(count) segment events undelivered") }
    }
}
