/// Takes over segment events, and delivers them to the service that the datafile names, or the configuration.
///
/// An event is for the service of the moment it happened, whatever the datafile says when it leaves: keys and events of
/// two datafiles never mix. Events from before the first datafile are for the service that this names.
package final class SegmentEventQueue: Sendable {
    private struct State {
        var destination = SegmentEventDestination.unknown
        /// Events from before the first datafile.
        var early: [SegmentEvent] = []
        var outlet = Outlet()
        /// Nil until a datafile names a service: many never do, and a store may be a file.
        var queue: EventQueue?
    }

    /// What events are delivered with.
    private struct Outlet {
        var transport: (any Transport)?
        var options = EventOptions()
        var services = EventServices()
    }

    private let makeStore: @Sendable () -> any EventStore
    private let limit: Int
    private let ledger = EventLedger()
    private let store = Locked<(any EventStore)?>(nil)
    private let state = Locked(State())

    /// Creates a queue that only collects, until it is connected.
    ///
    /// - Parameters:
    ///   - limit: How many events may wait for the first datafile; further ones are given up. The vendor's clients keep
    ///     as many. Default: 100.
    ///   - store: Makes the store that keeps events until they are delivered, when a datafile names a service for them.
    ///     Default: in memory, with the same limit.
    package init(limit: Int = 100, store: (@Sendable () -> any EventStore)? = nil) {
        self.limit = limit
        makeStore = store ?? { .memory(limit: limit) }
    }

    /// Says what events are delivered with from now on. Without a transport they only wait.
    package func connect(_ transport: (any Transport)?, deadline: Duration = .seconds(10), _ services: EventServices) {
        var options = EventOptions()
        options.requestDeadline = deadline
        connect(transport, options, services)
    }

    /// Says what events are delivered with from now on, and how. Without a transport they only wait.
    package func connect(_ transport: (any Transport)?, _ options: EventOptions, _ services: EventServices) {
        var options = options
        // Whatever waits is tried at each occasion, by as many as the vendor's clients send.
        options.interval = .zero
        options.eventsPerRequest = min(options.eventsPerRequest, 10)
        let outlet = Outlet(transport: transport, options: options, services: services)
        state.withLock { state in
            state.outlet = outlet
            if state.queue != nil { state.queue = makeQueue(outlet) }
        }
    }

    /// The store, which is opened when it is needed first: not while others wait for the state, it may be a slow file.
    @discardableResult
    private func openStore() -> any EventStore {
        store.withLock { store in
            let opened = store ?? makeStore()
            store = opened
            return opened
        }
    }

    private func makeQueue(_ outlet: Outlet) -> EventQueue {
        let store = openStore()
        var options = outlet.options
        // Otherwise events for a key that is not valid any more would leave no room for others.
        options.isObsolete = { [weak self] group in self?.isObsolete(group) ?? false }
        return EventQueue(store: store, transport: outlet.transport, options: options, services: outlet.services)
    }

    private func isObsolete(_ group: OutgoingEvent.Group) -> Bool {
        guard case .service(let service) = state.withLock({ $0.destination }) else { return false }
        return group != service.group
    }

    /// Where events go at present.
    package var destination: SegmentEventDestination { state.withLock { $0.destination } }
    /// The queue, if there is one.
    private var queue: EventQueue? { state.withLock { $0.queue } }
    private var log: any Log { state.withLock { $0.outlet.services.log } }

    /// How many events wait.
    package var count: Int { state.withLock { $0.early.count } + (queue?.count ?? 0) }
    /// What was given up: there was no room, or nobody wants it.
    package var losses: EventLosses { ledger.losses + (queue?.losses ?? EventLosses()) }

    /// Takes over an event. Quick, and never fails: what cannot be kept is counted.
    @discardableResult
    package func accept(_ event: SegmentEvent) -> EventAcceptance {
        let (destination, queue, isKept) = state.withLock { state in
            let isKept = state.destination == .unknown && state.early.count < limit
            if isKept { state.early.append(event) }
            return (state.destination, state.queue, isKept)
        }
        switch destination {
        case .service(let service): return queue?.accept(service.outgoing(event)) ?? .lost
        case .nowhere:
            ledger.add(1, .noReceiver)
            log(.debug, "segment event \(event.action) dropped, the datafile names no service for it")
            return .lost
        case .unknown where isKept: return .accepted
        case .unknown:
            let lost = ledger.add(1, .noRoom)
            // Each power of two: an outage of hours must not fill the log.
            if lost & (lost - 1) == 0 { log(.error, "segment events: no room, \(lost) lost so far") }
            return .lost
        }
    }

    /// Says where events go from now on. Those from before still go where they belong.
    package func update(to destination: SegmentEventDestination) {
        switch destination {
        case .service(let service): go(to: service)
        case .nowhere: giveUpEarly()
        case .unknown: state.withLock { $0.destination = .unknown }
        }
        // Whoever did not want them from the last datafile may want them from this one.
        if let queue { Task(executorPreference: DispatchExecutor.waitedFor) { await queue.flush() } }
    }

    /// Later events leave after those that waited for the datafile, so these go into the store first.
    private func go(to service: OdpService) {
        openStore()
        while let (early, queue) = state.withLock({ takeEarly(&$0, for: service) }) {
            queue?.accept(early.map(service.outgoing))
        }
    }

    /// Events that wait for the service, and the queue for them; nil: there are none, and it counts from now on.
    private func takeEarly(_ state: inout State, for service: OdpService) -> ([SegmentEvent], EventQueue?)? {
        if state.queue == nil { state.queue = makeQueue(state.outlet) }
        guard !state.early.isEmpty else {
            state.destination = .service(service)
            return nil
        }
        defer { state.early = [] }
        return (state.early, state.queue)
    }

    private func giveUpEarly() {
        let count = state.withLock { state in
            state.destination = .nowhere
            defer { state.early = [] }
            return state.early.count
        }
        guard count > 0 else { return }
        ledger.add(count, .noReceiver)
        log(.info, "segment events: \(count) dropped, the datafile names no service for them")
    }

    /// Delivers what waits, as far as possible.
    package func flush() async { await queue?.flush() }

    /// Delivers what waits, at most for some time. The queue goes on.
    package func flush(within limit: Duration) async { await queue?.flush(within: limit) }

    /// Delivers what waits, at most for some time, warns of what is left, and does nothing by itself any more.
    package func close(within limit: Duration) async {
        await queue?.close(within: limit)
        let early = state.withLock { $0.early.count }
        if early > 0 { log(.warning, "closed with \(early) segment events that wait for the first datafile") }
    }
}
