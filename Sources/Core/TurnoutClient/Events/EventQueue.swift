import Synchronization

/// Stores events and delivers them when enough are queued, after an interval, or on request.
package final class EventQueue: EventSink {
    private let store: any EventStore
    private let options: EventOptions
    private let services: EventServices
    private let deliverer: EventDeliverer?
    private let counter = EventLossCounter()
    private let filter: WakeFilter
    /// Whether the interval has started. Read with every event, so without a lock.
    private let isTimerSet = Atomic(false)
    private let synchronizes = Atomic(false)

    /// Creates a queue that sends events over a network. Without a transport they stay queued.
    package convenience init(
        store: any EventStore, transport: (any Transport)?, options: EventOptions, services: EventServices
    ) {
        self.init(
            store: store, delivery: transport.map { options.delivery(over: $0) }, options: options, services: services)
    }

    /// Creates a queue that passes events to a function. Without one they stay queued.
    package init(store: any EventStore, delivery: EventDelivery?, options: EventOptions, services: EventServices) {
        self.store = store
        self.options = options
        self.services = services
        let filter = WakeFilter(options.endpoints)
        self.filter = filter
        deliverer = delivery.map { [counter] in
            EventDeliverer(
                store: store, delivery: $0, options: options, services: services, counter: counter, filter: filter)
        }
    }

    /// Delivers events that an earlier process left in the store.
    package func start() { if store.count > 0 { deliver() } }

    package var losses: EventLosses { counter.losses + store.losses }

    /// The number of queued events.
    package var count: Int { store.count }

    /// The state of the queue and its delivery.
    package var status: EventStatus {
        var status = services.monitor?.status ?? EventStatus()
        (status.waiting, status.lost) = (store.count, losses)
        return status
    }

    // MARK: Accepting events

    /// Whether an event is in the store's file before it is accepted, whatever the store's own durability. Default:
    /// false.
    package var isSynchronous: Bool {
        get { synchronizes.load(ordering: .relaxed) }
        set { synchronizes.store(newValue, ordering: .relaxed) }
    }

    /// Writes all events to the file, if that is required. Those that concurrent calls have written already cost
    /// nothing.
    private var isWritten: Bool { !isSynchronous || store.isDurable && (try? store.synchronize()) != nil }

    @discardableResult
    package func accept(_ event: OutgoingEvent) -> EventAcceptance {
        // Even if there was no room: only delivery makes room.
        defer { wake(event.group) }
        do {
            try store.append(event)
            return isWritten ? .accepted : .notDurable
        } catch {
            return acceptance(after: error)
        }
    }

    /// Accepts events for one receiver, all of them before the first is delivered.
    package func accept(_ events: [OutgoingEvent]) {
        for error in store.append(contentsOf: events).values { _ = acceptance(after: error) }
        _ = isWritten
        if let last = events.last { wake(last.group) }
    }

    package func acceptDurably(_ events: [OutgoingEvent]) async -> [EventAcceptance] {
        let errors = await store.appendDurably(events)
        defer { if let last = events.last { wake(last.group) } }
        guard isSynchronous || !errors.isEmpty else { return Array(repeating: .accepted, count: events.count) }
        // Writing blocks, and the log is the caller's, and may block.
        return await BlockingCall.value {
            let kept = self.isWritten ? EventAcceptance.accepted : .notDurable
            return events.indices.map { index in errors[index].map { self.acceptance(after: $0) } ?? kept }
        }
    }

    package var waits: Bool { isSynchronous || store.waitsForDurability }

    private func acceptance(after error: any Error) -> EventAcceptance {
        if error as? EventStoreError == .notDurable { return .notDurable }
        let lost = counter.add(1, error as? EventStoreError == .full ? .noRoom : .notStored)
        // Log only powers of two: a long outage must not fill the log.
        guard lost & (lost - 1) == 0 else { return .lost }
        let count = lost == 1 ? "1 event" : "\(lost) events"
        if error as? EventStoreError == .full {
            services.log(.error, "event queue is full: \(count) refused so far; delivery makes room")
        } else {
            services.log.failure(.error, "event store accepts no events, \(count) lost so far", error)
        }
        return .lost
    }

    // MARK: Delivering

    /// Starts delivery: now if enough events are queued, otherwise after the interval.
    private func wake(_ group: OutgoingEvent.Group? = nil) {
        let count = store.count
        guard count > 0 else { return }
        if options.interval <= .zero || count >= options.eventsPerRequest {
            deliver(group)
        } else {
            startTimer()
        }
    }

    /// Delivers in the background, unless the destination of the group is blocked. A single task handles all events, so
    /// that an outage does not start a task for each one.
    private func deliver(_ group: OutgoingEvent.Group? = nil) {
        guard let deliverer else { return }
        switch filter.wake(group) {
        case .notNeeded: break
        case .now: Task.detached(executorPreference: DispatchExecutor.blockingCallers) { await deliverer.wake() }
        case .later:
            Task.detached(executorPreference: DispatchExecutor.blockingCallers) { [weak deliverer, services, options] in
                try? await services.clock.pause(for: options.firstDelay)
                await deliverer?.wakeIfDelivering()
            }
        }
    }

    /// Starts the interval, unless it has already started.
    private func startTimer() {
        guard deliverer != nil, !filter.isClosed, !isTimerSet.load(ordering: .relaxed) else { return }
        guard !isTimerSet.exchange(true, ordering: .relaxed) else { return }
        Task.detached(executorPreference: DispatchExecutor.blockingCallers) { [weak self, services, options] in
            try? await services.clock.pause(for: options.interval)
            self?.timerEnded()
        }
    }

    private func timerEnded() {
        // Before the store is read: an event that sees the interval running is in the store by then.
        isTimerSet.store(false, ordering: .relaxed)
        if !filter.isClosed { deliver() }
    }

    // MARK: Flushing and closing

    /// Tries every destination of the currently queued events at least once, and waits until that is done.
    package func flush() async { await deliverer?.flush() }

    package func close(within limit: Duration) async {
        filter.close()
        let isStored = synchronize() && store.isDurable
        await deliver(within: limit)
        let count = store.count
        guard count > 0 else { return }
        services.log(
            .warning,
            "closed with \(count) \(count == 1 ? "event" : "events") undelivered; "
                + (isStored
                    ? "they stay in the event store and are delivered after the next start"
                    : "they are only in memory and are lost when the process ends"))
    }

    /// Delivers queued events within a limit. The queue stays in use.
    package func flush(within limit: Duration) async {
        _ = synchronize()
        await deliver(within: limit)
    }

    /// Makes the store write everything. Returns false if that failed, which is logged.
    private func synchronize() -> Bool {
        do { try store.synchronize() } catch {
            services.log.failure(.error, "events could not be written", error)
            return false
        }
        return true
    }

    private func deliver(within limit: Duration) async {
        // Late deliveries continue by themselves.
        await value(within: limit, on: services.clock, executor: DispatchExecutor.blockingCallers) {
            await self.flush()
        }
    }
}
