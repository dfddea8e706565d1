/// Puts events into a store, and has them delivered: when enough wait, when one waits long enough, or when asked.
package final class EventQueue: EventSink {
    private struct State {
        var isDelivering = false
        /// What somebody wanted delivered while that was under way; nil among it: anything.
        var missed: Set<OutgoingEvent.Group?> = []
        /// Whether the interval has begun.
        var isTimerSet = false
        /// Who gets nothing by itself, because sending to them did not work, and until when.
        var resting: [EventPause.Resting: Duration] = [:]
        var isClosed = false

        /// Leaves those in peace whom a pause names; nil: nobody.
        mutating func rest(_ pause: EventPause?, at now: Duration) {
            let earlier = resting
            resting = [:]
            for (receiver, length) in pause?.resting ?? [:] {
                // Who was left in peace for longer already may be due by now.
                resting[receiver] = length > .zero ? now + length : earlier[receiver]
            }
        }
    }

    private let store: any EventStore
    private let options: EventOptions
    private let services: EventServices
    private let sender: EventSender?
    private let ledger = EventLedger()
    private let state = Locked(State())
    private let uptime: @Sendable () -> Duration

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
        uptime = services.clock.stopwatch()
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
            startTimer()
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
            let rests = group.map { state.resting.covers($0, options.endpoints) }
            guard !(rests ?? (state.resting[.everybody] != nil)) else { return nil }
            state.isDelivering = true
            state.missed = []
            return Set(state.resting.keys)
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
        let now = uptime()
        // What came after the last look into the store found somebody at work.
        let missed = state.withLock { state in
            state.rest(pause, at: now)
            defer { state.missed = [] }
            return state.missed
        }
        if let pause {
            for length in Set(pause.resting.values) where length > .zero { deliver(after: length) }
            for group in missed { deliver(group) }
            if let next = pause.next { deliverSoon(next) }
        } else if !missed.isEmpty, store.count > 0 {
            deliver()
        } else {
            wake()
        }
    }

    /// Delivers for those who were left in peace, when their time is over.
    private func deliver(after length: Duration) {
        Task(executorPreference: DispatchExecutor.waitedFor) { [weak self, services] in
            try? await services.clock.pause(for: length)
            self?.restEnded()
        }
    }

    private func restEnded() {
        let now = uptime()
        let isOver = state.withLock { state in
            let count = state.resting.count
            state.resting = state.resting.filter { $0.value > now }
            return !state.isClosed && state.resting.count < count
        }
        if isOver { deliver() }
    }

    /// Delivers for somebody after a moment, whoever else is left in peace for longer.
    private func deliverSoon(_ group: OutgoingEvent.Group) {
        Task(executorPreference: DispatchExecutor.waitedFor) { [weak self, services, options] in
            try? await services.clock.pause(for: options.firstDelay)
            guard let self, !self.state.withLock({ $0.isClosed }) else { return }
            self.deliver(group)
        }
    }

    /// Delivers after the interval, unless that has begun already.
    private func startTimer() {
        guard sender != nil else { return }
        let starts = state.withLock { state in
            defer { state.isTimerSet = true }
            return !state.isClosed && !state.isTimerSet
        }
        guard starts else { return }
        Task(executorPreference: DispatchExecutor.waitedFor) { [weak self, services, options] in
            try? await services.clock.pause(for: options.interval)
            self?.timerEnded()
        }
    }

    private func timerEnded() {
        let isOpen = state.withLock { state in
            state.isTimerSet = false
            return !state.isClosed
        }
        if isOpen { deliver() }
    }

    // MARK: Ends

    /// Tries every receiver of what waits now, at least once.
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
