/// Queues segment events, and delivers them to the service in the datafile or the configuration.
///
/// An event is for the service at the time it happened, even if the datafile changes before it is sent: keys and events
/// of two datafiles never mix. Events before the first datafile are for the service in that datafile.
package final class SegmentEventQueue: Sendable {
    private struct State {
        var destination = SegmentEventDestination.unknown
        /// Events from before the first datafile.
        var early: [SegmentEvent] = []
        var delivery = DeliveryServices()
        /// Nil until a datafile names a service. Created lazily: many datafiles never do, and the store may be a file.
        var queue: EventQueue?
    }

    private struct DeliveryServices {
        var transport: (any Transport)?
        var options = EventOptions()
        var services = EventServices()
    }

    private let makeStore: @Sendable () -> any EventStore
    private let limit: Int
    private let counter = EventLossCounter()
    private let store = Locked<(any EventStore)?>(nil)
    private let state = Locked(State())

    /// Creates a queue that only collects events until it is connected.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of events before the first datafile; further ones are given up. The vendor's
    ///     clients keep as many. Default: 100.
    ///   - store: Creates the store for events until they are delivered, once a datafile has a service for them.
    ///     Default: in memory, with the same limit.
    package init(limit: Int = 100, store: (@Sendable () -> any EventStore)? = nil) {
        self.limit = limit
        makeStore = store ?? { .memory(limit: limit) }
    }

    /// Sets the services for delivery. Without a transport, events stay queued.
    package func connect(_ transport: (any Transport)?, deadline: Duration = .seconds(10), _ services: EventServices) {
        var options = EventOptions()
        options.requestDeadline = deadline
        connect(transport, options, services)
    }

    /// Sets the services and options for delivery. Without a transport, events stay queued.
    package func connect(_ transport: (any Transport)?, _ options: EventOptions, _ services: EventServices) {
        var options = options
        // Queued events are sent immediately, in requests of at most the vendor's size.
        options.interval = .zero
        options.eventsPerRequest = min(options.eventsPerRequest, 10)
        options.maximumEventsPerRequest = options.eventsPerRequest
        let delivery = DeliveryServices(transport: transport, options: options, services: services)
        state.withLock { state in
            state.delivery = delivery
            if state.queue != nil { state.queue = makeQueue(delivery) }
        }
    }

    /// The store, which is opened on first use; outside the state's lock, since it may be a slow file.
    @discardableResult
    private func openStore() -> any EventStore {
        store.withLock { store in
            let opened = store ?? makeStore()
            store = opened
            return opened
        }
    }

    private func makeQueue(_ delivery: DeliveryServices) -> EventQueue {
        let store = openStore()
        var options = delivery.options
        // Otherwise events for an invalid key would fill the queue.
        options.isObsolete = { [weak self] group in self?.isObsolete(group) ?? false }
        return EventQueue(store: store, transport: delivery.transport, options: options, services: delivery.services)
    }

    private func isObsolete(_ group: OutgoingEvent.Group) -> Bool {
        guard case .service(let service) = state.withLock({ $0.destination }) else { return false }
        return group != service.group
    }

    package var destination: SegmentEventDestination { state.withLock { $0.destination } }
    /// The queue, if there is one.
    private var queue: EventQueue? { state.withLock { $0.queue } }
    private var log: any Log { state.withLock { $0.delivery.services.log } }

    /// The number of queued events.
    package var count: Int { state.withLock { $0.early.count } + (queue?.count ?? 0) }
    /// The events that were given up: the queue was full, or there is no receiver.
    package var losses: EventLosses { counter.losses + (queue?.losses ?? EventLosses()) }

    /// The state of the queue and its delivery.
    package var status: EventStatus {
        let (early, queue) = state.withLock { ($0.early.count, $0.queue) }
        var status = queue?.status ?? EventStatus()
        status.waiting += early
        status.lost = status.lost + counter.losses
        return status
    }

    /// Accepts an event. Returns quickly and never throws: lost events are counted.
    @discardableResult
    package func accept(_ event: SegmentEvent) -> EventAcceptance {
        let (destination, queue, isKept) = state.withLock { state in
            let isKept = state.destination == .unknown && state.early.count < limit
            if isKept { state.early.append(event) }
            return (state.destination, state.queue, isKept)
        }
        switch destination {
        case .service(let service): return queue?.accept(service.outgoing(event)) ?? .lost
        case .noPlatform:
            counter.add(1, .noReceiver)
            log(.debug, "segment event \(event.action) dropped: the datafile names no data platform")
            return .lost
        case .unknown where isKept: return .accepted
        case .unknown:
            let lost = counter.add(1, .noRoom)
            // Log only powers of two: a long outage must not fill the log.
            if lost & (lost - 1) == 0 {
                log(
                    .error,
                    "\(lost.counted("segment event")) given up so far: \(limit) already wait for the first datafile")
            }
            return .lost
        }
    }

    /// Sets the destination of new events. Earlier events keep their destination.
    package func update(to destination: SegmentEventDestination) {
        switch destination {
        case .service(let service): go(to: service)
        case .noPlatform: giveUpEarly()
        case .unknown: state.withLock { $0.destination = .unknown }
        }
        // A platform that refused events of the last datafile may accept them with this one.
        if let queue { Task.detached(executorPreference: DispatchExecutor.blockingCallers) { await queue.flush() } }
    }

    /// Later events follow those that waited for the datafile, so these are stored first.
    private func go(to service: OdpService) {
        openStore()
        while let (early, queue) = state.withLock({ takeEarly(&$0, for: service) }) {
            queue?.accept(early.map(service.outgoing))
        }
    }

    /// Removes the events that wait for the service, with the queue for them; nil if there are none.
    private func takeEarly(_ state: inout State, for service: OdpService) -> ([SegmentEvent], EventQueue?)? {
        if state.queue == nil { state.queue = makeQueue(state.delivery) }
        guard !state.early.isEmpty else {
            state.destination = .service(service)
            return nil
        }
        defer { state.early = [] }
        return (state.early, state.queue)
    }

    private func giveUpEarly() {
        let count = state.withLock { state in
            state.destination = .noPlatform
            defer { state.early = [] }
            return state.early.count
        }
        guard count > 0 else { return }
        counter.add(count, .noReceiver)
        log(.info, "\(count.counted("segment event")) dropped: the datafile names no data platform")
    }

    /// Delivers queued events, as far as possible.
    package func flush() async { await queue?.flush() }

    /// Delivers queued events within a limit. The queue stays in use.
    package func flush(within limit: Duration) async { await queue?.flush(within: limit) }

    /// Delivers queued events within a limit, warns about the rest, and ends background work.
    package func close(within limit: Duration) async {
        await queue?.close(within: limit)
        let early = state.withLock { $0.early.count }
        guard early > 0 else { return }
        log(
            .warning,
            "closed before the first datafile, which names the data platform: \(early.counted("segment event")) in "
                + "memory \(early == 1 ? "ends" : "end") with the process")
    }
}

/// Creates segment events about users and this device, and queues them.
final class SegmentReporter: Sendable {
    let queue: SegmentEventQueue
    /// The platform that receives all events; nil: the one in the datafile.
    private let service: OdpService?
    private let device: String?
    private let origin: SegmentEventOrigin
    private let random: any RandomSource
    private let log: any Log
    /// Held while a datafile takes effect.
    private let updating = Locked(())

    /// Creates a reporter. If the device has an id, its first event announces the device.
    init(
        queue: SegmentEventQueue, service: OdpService?, device: String?, origin: SegmentEventOrigin,
        random: any RandomSource, log: any Log
    ) {
        (self.queue, self.service, self.device, self.origin) = (queue, service, device, origin)
        (self.random, self.log) = (random, log)
        if let service { queue.update(to: .service(service)) }
        if device != nil { report("client_initialized", [:]) }
    }

    /// Uses the newest datafile from now on. `newest` is called under the lock, so that the last caller sees the newest
    /// datafile.
    func update(to newest: () -> Project?) {
        guard service == nil else { return }
        updating.withLock { _ in queue.update(to: SegmentEventDestination(of: newest())) }
    }

    /// Creates an event from the program's data, and queues it.
    func send(
        _ action: String, type: String?, identifiers: [String: String], data: [String: AttributeValue]
    ) throws(SegmentEventError) {
        guard queue.destination != .noPlatform else { throw .noService }
        var facts: [String: JSONValue] = [:]
        for (name, value) in data.sorted(by: { $0.key < $1.key }) {
            guard let fact = JSONValue(value) else { throw .invalidData(name) }
            facts[name] = fact
        }
        let event = try SegmentEvent(
            type: type, action: action,
            identifiers: SegmentEvent.normalized(SegmentEvent.identifiers(identifiers, on: device)),
            data: origin.adding(to: facts, id: random.eventID()))
        switch queue.accept(event) {
        case .accepted: return
        case .notDurable: throw .notDurable
        case .lost: throw .lost
        }
    }

    /// Links a user to this device, if both have an id.
    func identify(_ userID: String) {
        guard let identifiers = SegmentEvent.identification(of: userID, on: device) else { return }
        report("identified", identifiers)
    }

    /// Sends an event without reporting errors to the caller. Losses are counted.
    private func report(_ action: String, _ identifiers: [String: String]) {
        do throws(SegmentEventError) { try send(action, type: nil, identifiers: identifiers, data: [:]) } catch {
            log(.debug, "segment event \(action): \(error)")
        }
    }
}

/// The destination of segment events.
package enum SegmentEventDestination: Sendable, Equatable {
    /// There is no datafile yet. Events are queued.
    case unknown
    /// The datafile has no platform. Events are dropped.
    case noPlatform
    /// The service in the datafile.
    case service(OdpService)

    /// The destination for a datafile; nil if there is no datafile.
    package init(of project: Project?) {
        guard let project else {
            self = .unknown
            return
        }
        self = OdpService(of: project).map { .service($0) } ?? .noPlatform
    }
}
