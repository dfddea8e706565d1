/// Puts events into a store, and has them delivered: when enough wait, when one waits long enough, or when asked.
package final class EventQueue: EventSink {
    private struct State {
        var isDelivering = false
        /// What somebody wanted delivered while that was under way; nil among it: anything.
        var missed: Set<OutgoingEvent.Group?> = []
        /// The number of the timer that counts, or nil: none runs.
        var timer: Int?
        var timerCount = 0
        /// Who gets nothing by itself before the timer ends: sending to them did not work; nil: there is no pause.
        var resting: Set<EventPause.Resting>?
        var isClosed = false

        /// Whether nothing is to be delivered for a group by itself.
        func rests(_ group: OutgoingEvent.Group?) -> Bool {
            guard let resting else { return false }
            guard let group else { return true }
            return resting.isEmpty || resting.contains(group)
        }
    }

    private let store: any EventStore
    private let options: EventOptions
    private let services: EventServices
    private let sender: EventSender?
    private let ledger = EventLedger()
    private let state = Locked(State())

    /// Creates a queue whose events are sent over a network. Without a transport they only wait.
    package convenience init(
        store: any EventStore, transport: (any Transport)?, options: EventOptions, services: EventServices
    ) {
        self.init(
            store: store, delivery: transport.map { options.delivery(over: $0) }, options: options, services: services)
    }

    /// Creates a queue whose events are handed to a function. Without one they only wait.
    package init(store: any EventStore, delivery: EventDelivery?, options: EventOptions, services: EventServices) {
        self.store = store
        self.options = options
        self.services = services
        sender = delivery.map { [ledger] in
            EventSender(store: store, delivery: $0, options: options, services: services, ledger: ledger)
        }
    }

    /// Delivers what an earlier process left in the store.
    package func start() { if store.count > 0 { deliver() } }

    package var losses: EventLosses { ledger.losses + store.losses }

    /// How many events wait.
    package var count: Int { store.count }

    // MARK: Taking over

    @discardableResult
    package func accept(_ event: OutgoingEvent) -> EventAcceptance {
        // Also if there was no room: only delivery makes room.
        defer { wake(event.group) }
        do {
            try store.append(event)
            return .accepted
        } catch {
            return acceptance(after: error)
        }
    }

    /// Takes over events for one receiver, all of them before the first is delivered.
    package func accept(_ events: [OutgoingEvent]) {
        for error in store.append(contentsOf: events).values { _ = acceptance(after: error) }
        if let last = events.last { wake(last.group) }
    }

    package var waits: Bool { store.waitsForDurability }

    private func acceptance(after error: any Error) -> EventAcceptance {
        if error as? EventStoreError == .notDurable { return .notDurable }
        let lost = ledger.add(1, error as? EventStoreError == .full ? .noRoom : .notStored)
        // Each power of two: an outage of hours must not fill the log.
        if lost & (lost - 1) == 0 { services.log(.error, "event store: \(lost) events lost so far: \(error)") }
        return .lost
    }

    // MARK: Delivering

    /// Sees to it that what waits is delivered: now if it is enough, otherwise after the interval.
    private func wake(_ group: OutgoingEvent.Group? = nil) {
        let count = store.count
        guard count > 0 else { return }
        if options.interval <= .zero || count >= options.eventsPerRequest {
            deliver(group)
        } else {
            startTimer(options.interval)
        }
    }

    /// Delivers in the background; for nothing but a group that is left in peace it does nothing. One task does it for
    /// all: in an outage each further event would start one.
    private func deliver(_ group: OutgoingEvent.Group? = nil) {
        guard let sender else { return }
        let resting: Set<EventPause.Resting>? = state.withLock { state in
            guard !state.isDelivering else {
                state.missed.insert(group)
                return nil
            }
            guard !state.rests(group) else { return nil }
            state.isDelivering = true
            state.missed = []
            return state.resting ?? []
        }
        guard let resting else { return }
        Task(executorPreference: DispatchExecutor.waitedFor) { [weak self] in
            let pause = await sender.deliver(besides: resting)
            guard let self else { return }
            self.state.withLock { $0.isDelivering = false }
            self.goOn(after: pause)
        }
    }

    /// What could not be delivered is tried again after a while, whether or not new events come.
    private func goOn(after pause: EventPause?) {
        // What came after the last look into the store found somebody at work.
        let missed = state.withLock { state in
            if pause == nil { state.resting = nil }
            defer { state.missed = [] }
            return state.missed
        }
        if let pause {
            startTimer(pause.duration, resting: pause.resting)
            for group in missed { deliver(group) }
            if let next = pause.next { deliverSoon(next) }
        } else if !missed.isEmpty, store.count > 0 {
            deliver()
        } else {
            wake()
        }
    }

    /// Delivers for somebody after a moment, whoever else is left in peace for longer.
    private func deliverSoon(_ group: OutgoingEvent.Group) {
        Task(executorPreference: DispatchExecutor.waitedFor) { [weak self, services, options] in
            try? await services.clock.pause(for: options.firstDelay)
            guard let self, !self.state.withLock({ $0.isClosed }) else { return }
            self.deliver(group)
        }
    }

    /// Delivers after some time. A pause replaces the timer that runs, unless that ends a pause, too.
    private func startTimer(_ duration: Duration, resting: Set<EventPause.Resting>? = nil) {
        guard sender != nil else { return }
        let number: Int? = state.withLock { state in
            let isLonger = resting != nil && state.resting == nil
            if let resting { state.resting = resting }
            guard !state.isClosed, state.timer == nil || isLonger else { return nil }
            state.timerCount += 1
            state.timer = state.timerCount
            return state.timerCount
        }
        guard let number else { return }
        Task(executorPreference: DispatchExecutor.waitedFor) { [weak self, services] in
            try? await services.clock.pause(for: duration)
            self?.timerEnded(number)
        }
    }

    private func timerEnded(_ number: Int) {
        let isCurrent = state.withLock { state in
            guard state.timer == number else { return false }
            state.timer = nil
            state.resting = nil
            return !state.isClosed
        }
        if isCurrent { deliver() }
    }

    // MARK: Ends

    /// Tries everything that waits now, at least once.
    package func flush() async {
        guard let sender else { return }
        goOn(after: await sender.flush())
    }

    package func close(within limit: Duration) async {
        state.withLock { $0.isClosed = true }
        await flush(within: limit)
        if store.count > 0 {
            services.log(.warning, "closed with \(store.count) events undelivered; their store still has them")
        }
    }

    /// Delivers what waits, at most for some time. The queue goes on.
    package func flush(within limit: Duration) async {
        do { try store.synchronize() } catch { services.log.failure(.error, "event store", error) }
        // What is late goes on by itself.
        await value(within: limit, on: services.clock, executor: DispatchExecutor.waitedFor) { await self.flush() }
    }
}
