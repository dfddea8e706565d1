/// Delivers the events of a store, one request at a time.
actor EventSender {
    private let store: any EventStore
    private let delivery: EventDelivery
    private let options: EventOptions
    private let clock: any Clock<Duration>
    private let log: any Log
    private let executor: (any TaskExecutor)?
    private var running: Task<Bool, Never>?

    init(
        store: any EventStore, delivery: @escaping EventDelivery, options: EventOptions, clock: any Clock<Duration>,
        log: any Log, executor: (any TaskExecutor)?
    ) {
        self.store = store
        self.delivery = delivery
        self.options = options
        self.clock = clock
        self.log = log
        self.executor = executor
    }

    /// Delivers everything that waits, or as much as works. Whoever asks while it is at work waits for that.
    ///
    /// - Returns: Whether everything was delivered.
    @discardableResult
    func deliver() async -> Bool {
        let task = running ?? Task(executorPreference: executor) { await self.deliverAll() }
        running = task
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func deliverAll() async -> Bool {
        defer { running = nil }
        do {
            while case let batch = nextBatch(try store.oldest(max(1, options.eventsPerRequest))), !batch.isEmpty {
                guard await send(batch.map(\.event)) else { return false }
                try store.remove(batch.map(\.id))
            }
            return true
        } catch {
            log.failure(.error, "event store", error)
            return false
        }
    }

    /// The oldest events that may share a request.
    private func nextBatch(_ events: [StoredEvent]) -> [StoredEvent] {
        guard let first = events.first?.event, first.sharesRequests else { return Array(events.prefix(1)) }
        return Array(events.prefix { $0.event.group == first.group })
    }

    /// Tries to deliver events, again and again with longer pauses. Whether they arrived.
    private func send(_ events: [OutgoingEvent]) async -> Bool {
        var delay = options.firstDelay
        for attempt in 1...max(1, options.attempts) {
            do {
                try await delivery(events)
                return true
            } catch is EventsMustWait {
                return false
            } catch {
                log.failure(.warning, "\(events.count) events, attempt \(attempt)", error)
            }
            guard attempt < options.attempts, (try? await clock.pause(for: delay)) != nil else { return false }
            delay *= 2
        }
        return false
    }
}
