/// Delivers the events of a store: performs the actions of ``DeliveryState``, and reports their results to it.
actor EventDeliverer {
    private let store: any EventStore
    private let delivery: EventDelivery
    private let options: EventOptions
    private let services: EventServices
    private let counter: EventLossCounter
    private let filter: WakeFilter
    private let uptime: @Sendable () -> Duration
    private var state: DeliveryState
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiter = 0
    private var isLocked = false
    private var reported = EventLosses()
    /// A dedicated thread, since the store may be on a slow disk.
    private let thread = WorkQueue("turnout.events")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(
        store: any EventStore, delivery: @escaping EventDelivery, options: EventOptions, services: EventServices,
        counter: EventLossCounter, filter: WakeFilter
    ) {
        self.store = store
        self.delivery = delivery
        self.options = options
        self.services = services
        self.counter = counter
        self.filter = filter
        uptime = services.clock.stopwatch()
        state = DeliveryState(options: options, random: services.random)
    }

    deinit { if isLocked { store.endDelivery() } }

    /// Delivers queued events whose destinations are not blocked. Returns before that is done.
    func wake() { handle(.wake) }

    /// Reads the store again, if a run is in progress.
    func wakeIfDelivering() { if !state.isIdle { handle(.wake) } }

    /// Tries every destination of the currently queued events at least once, and waits until that is done. Canceling
    /// the wait does not end the work, which other callers may wait for too.
    func flush() async {
        lastWaiter += 1
        let waiter = lastWaiter
        await withCheckedContinuation { continuation in
            waiters[waiter] = continuation
            handle(.flush(waiter))
        }
    }

    private func timerFired() {
        guard !(state.isIdle && filter.isClosed) else { return }
        handle(.timer)
    }

    // MARK: Steps

    private func handle(_ input: DeliveryState.Input) {
        filter.begin()
        var inputs = [input]
        while !inputs.isEmpty {
            let input = inputs.removeFirst()
            let moment = DeliveryState.Moment(
                now: uptime(), wallTime: services.wallClock.millisecondsSince1970(), waiting: store.count)
            for action in state.handle(input, at: moment) {
                if let result = perform(action) { inputs.append(result) }
            }
            // Events that were added after the last fetch saw a run in progress.
            if inputs.isEmpty, state.isIdle, filter.end(blocked: state.blockedDestinations) { inputs.append(.wake) }
        }
    }

    private func perform(_ action: DeliveryState.Action) -> DeliveryState.Input? {
        switch action {
        case .lock:
            isLocked = store.beginDelivery()
            return .locked(isLocked)
        case .unlock:
            isLocked = false
            store.endDelivery()
        case .fetch(let count, let id):
            do { return .fetched(try store.oldest(count, after: id)) } catch { return failed(error) }
        case .remove(let ids): return change { try store.remove(ids) }
        case .reject(let ids):
            counter.add(ids.count, .refused)
            return change { try store.reject(ids) }
        case .expire(let ids):
            counter.add(ids.count, .tooOld)
            return change { try store.remove(ids) }
        case .send(let batch): send(batch)
        case .wake(let time): wake(after: time)
        case .report(let report): tell(report)
        case .finish(let waiters): for waiter in waiters { self.waiters.removeValue(forKey: waiter)?.resume() }
        }
        return nil
    }

    private func change(_ body: () throws -> Void) -> DeliveryState.Input? {
        do { try body() } catch { return failed(error) }
        return nil
    }

    private func failed(_ error: any Error) -> DeliveryState.Input {
        services.log.failure(.error, "event store cannot be read or written; delivery pauses", error)
        return .storeFailed
    }

    private func wake(after time: Duration) {
        // A run holds the store's lock, so it continues after the queue is released; its delays are short.
        let running = state.isIdle ? nil : self
        Task.detached(executorPreference: DispatchExecutor.blockingCallers) { [weak self, clock = services.clock] in
            try? await clock.pause(for: time)
            await (running ?? self)?.timerFired()
        }
    }

    private func send(_ batch: DeliveryBatch) {
        let events = batch.events.map(\.event)
        Task.detached(executorPreference: DispatchExecutor.blockingCallers) {
            let result = await self.result(of: events)
            await self.handle(.completed(batch.number, result))
        }
    }

    nonisolated private func result(of events: [OutgoingEvent]) async -> DeliveryResult {
        do { return .reply(try await delivery(events)) } catch {
            switch error {
            case is DeliveryPostponed: return .noTransport
            case let error as TransportError where error.code == .badAddress: return .badAddress(error.message)
            case let error as any PrintableError: return .failed("\(error)")
            case is CancellationError: return .failed("the request was canceled")
            default:
                // Error descriptions from other code may contain personal data.
                services.log(.debug, "delivery of events failed: \(error)")
                return .failed("\(type(of: error)) (log level debug shows its text)")
            }
        }
    }

    // MARK: Reports

    private func tell(_ report: DeliveryReport) {
        services.log(report.level, "\(report)")
        services.monitor?.record(report)
        if let status = report.misconfiguration { options.onMisconfiguration?(status) }
        if case .delivered = report { reportLosses() }
    }

    /// Reports the events given up since the last delivery.
    private func reportLosses() {
        let losses = counter.losses + store.losses
        guard losses != reported else { return }
        services.log(.warning, "events given up since the last delivery: \(losses.since(reported))")
        reported = losses
    }
}
