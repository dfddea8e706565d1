/// Puts events into a store, and has them delivered: when enough wait, when one waits long enough, or when asked.
package final class EventQueue: EventSink {
    private struct State {
        var isTimerRunning = false
        var isDelivering = false
        var isClosed = false
        var lost = 0
    }

    private let store: any EventStore
    private let options: EventOptions
    private let clock: any Clock<Duration>
    private let log: any Log
    private let executor: (any TaskExecutor)?
    private let sender: EventSender?
    private let state = Locked(State())

    /// Creates a queue whose events are sent over a network. Without a transport they only wait.
    package convenience init(
        store: any EventStore, transport: (any Transport)?, options: EventOptions, clock: any Clock<Duration>,
        log: any Log
    ) {
        let delivery = transport.map { options.delivery(over: $0) }
        self.init(store: store, delivery: delivery, options: options, clock: clock, log: log)
    }

    /// Creates a queue whose events are handed to a function. Without one they only wait.
    ///
    /// With an executor, everything runs there; then those who block a thread should call on it, too.
    package init(
        store: any EventStore, delivery: EventDelivery?, options: EventOptions, clock: any Clock<Duration>,
        log: any Log, executor: (any TaskExecutor)? = nil
    ) {
        self.store = store
        self.options = options
        self.clock = clock
        self.log = log
        self.executor = executor
        sender = delivery.map {
            EventSender(store: store, delivery: $0, options: options, clock: clock, log: log, executor: executor)
        }
    }

    package var lostCount: Int { state.withLock { $0.lost } }

    /// How many events wait.
    package var count: Int { store.count }

    package func accept(_ event: OutgoingEvent) {
        do {
            try enqueue(event)
        } catch {
            let lost = state.withLock { state in
                state.lost += 1
                return state.lost
            }
            // Each power of two: an outage of hours must not fill the log.
            if lost & (lost - 1) == 0 { log(.error, "event store: \(lost) events lost so far: \(error)") }
        }
    }

    /// Takes over an event, and counts nothing if it cannot.
    ///
    /// - Throws: What the store throws.
    package func enqueue(_ event: OutgoingEvent) throws {
        // Also if there was no room: only delivery makes room.
        defer { startDelivery() }
        try store.append(event)
    }

    private func startDelivery() {
        guard let sender else { return }
        guard options.interval <= .zero || store.count >= options.eventsPerRequest else { return startTimer(sender) }
        // One task delivers for all: in an outage each further event would start one.
        let starts = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard starts else { return }
        Task(executorPreference: executor) { [weak self] in
            let isDone = await sender.deliver()
            guard let self else { return }
            self.state.withLock { $0.isDelivering = false }
            // What came after the last look into the store found somebody at work.
            if isDone, self.store.count > 0 { self.startDelivery() } else { self.retryLater() }
        }
    }

    private func startTimer(_ sender: EventSender) {
        let starts = state.withLock { state in
            let starts = !state.isTimerRunning && !state.isClosed
            if starts { state.isTimerRunning = true }
            return starts
        }
        guard starts else { return }
        Task(executorPreference: executor) { [weak self, clock, options] in
            try? await clock.pause(for: options.interval)
            self?.state.withLock { $0.isTimerRunning = false }
            await sender.deliver()
            self?.retryLater()
        }
    }

    /// What could not be delivered is tried again after a while, whether or not new events come.
    private func retryLater() {
        guard let sender, options.interval > .zero, store.count > 0 else { return }
        startTimer(sender)
    }

    package func flush() async {
        await sender?.deliver()
        retryLater()
    }

    package func close(within limit: Duration) async {
        state.withLock { $0.isClosed = true }
        await flush(within: limit)
        if store.count > 0 { log(.warning, "closed with \(store.count) events undelivered; they stay in the store") }
    }

    /// Delivers what waits, at most for some time. The queue goes on.
    package func flush(within limit: Duration) async {
        guard let sender else { return }
        // Not a task group, which would wait for a transport that does not care about cancellation.
        let delivery = Task(executorPreference: executor) { await sender.deliver() }
        let end: Void? = await value(within: limit, on: clock, executor: executor) { _ = await delivery.value }
        if end == nil { delivery.cancel() }
        retryLater()
    }
}
