/// Delivers the events of a store, one request at a time, and keeps those that did not arrive.
actor EventSender {
    private let store: any EventStore
    private let delivery: EventDelivery
    private let options: EventOptions
    private let services: EventServices
    private let ledger: EventLedger
    private var running: Task<EventPause?, Never>?
    /// Whether the run that is at work does without some receivers: it will not look at further events for them.
    private var hasPassedBy = false
    private var backoff: Backoff
    /// How many events a request may carry; fewer after the receiver refused some, until the bad ones stand alone.
    private var limit: Int
    /// Whether the owner was told that the receiver is not the right one.
    private var isMisconfigured = false
    private var reported = EventLosses()
    /// A store may be on a slow disk.
    private let thread = WorkQueue("turnout.events")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(
        store: any EventStore, delivery: @escaping EventDelivery, options: EventOptions, services: EventServices,
        ledger: EventLedger
    ) {
        self.store = store
        self.delivery = delivery
        self.options = options
        self.services = services
        self.ledger = ledger
        backoff = Backoff(first: options.firstDelay, longest: options.longestDelay, random: services.random)
        limit = max(1, options.eventsPerRequest)
    }

    /// Delivers everything that waits, or as much as works. Whoever asks while it is at work waits for that; giving up
    /// the wait does not end the work, which others may wait for, too.
    ///
    /// - Parameter resting: Who is left in peace. Default: nobody.
    /// - Returns: What to wait for before the next attempt, or nil: everything was delivered.
    @discardableResult
    func deliver(besides resting: Set<EventPause.Resting> = []) async -> EventPause? {
        if let running { return await running.value }
        let task = Task(executorPreference: DispatchExecutor.waitedFor) { await self.deliverAll(besides: resting) }
        running = task
        hasPassedBy = !resting.isEmpty
        return await task.value
    }

    /// Tries every receiver of what waits now, at least once, whoever is at work already.
    ///
    /// - Returns: What to wait for before the next attempt, or nil: everything was delivered.
    func flush() async -> EventPause? {
        // Somebody else who shares the store may hang, but no longer than a request may take.
        var patience = options.requestDeadline
        let step = max(options.firstDelay, .milliseconds(10))
        while true {
            // A run that has given up a receiver does not come back to it, and what waits may be for that one.
            let isTooLate = running != nil && hasPassedBy
            let pause = await deliver()
            if isTooLate, pause != nil { continue }
            guard let pause, pause.isForOthers, patience > .zero else { return pause }
            guard (try? await services.clock.pause(for: step)) != nil else { return pause }
            patience -= step
        }
    }

    private func deliverAll(besides resting: Set<EventPause.Resting>) async -> EventPause? {
        defer { running = nil }
        // Somebody else who shares the store delivers at present, and what waits here, too.
        guard store.beginDelivery() else {
            return EventPause(options.firstDelay * 5, isForOthers: store.count > 0)
        }
        defer { store.endDelivery() }
        var pause = EventPause(besides: resting)
        var requests = 0
        do {
            while let batch = try nextBatch(besides: pause.resting) {
                if requests == options.requestsPerRun {
                    guard !pause.resting.isEmpty else { return EventPause(options.firstDelay) }
                    pause.next = batch[0].event.group
                    return pause
                }
                requests += 1
                let events = batch.map(\.event)
                switch await send(events) {
                case .accepted: try store.remove(batch.map(\.id))
                case .invalid(let places): try reject(places.map { batch[$0].id }, of: batch.count)
                case .refused where batch.count > 1, .tooLarge where batch.count > 1: limit = batch.count / 2
                case .refused, .tooLarge: try reject([batch[0].id], of: 1)
                case .busy(let delay): pause.add(.address(address(of: events)), delay ?? .zero)
                case .misconfigured where options.isObsolete?(events[0].group) == true:
                    try reject(batch.map(\.id), of: batch.count)
                case .misconfigured(401), .misconfigured(403):
                    pause.add(.group(events[0].group), options.longestDelay)
                case .misconfigured: pause.add(.address(address(of: events)), options.longestDelay)
                }
                hasPassedBy = !pause.resting.isEmpty
            }
            return pause.resting.isEmpty ? nil : pause
        } catch {
            services.log.failure(.error, "event store", error)
            pause.add(.everybody, backoff.delay())
            return pause
        }
    }

    private func address(of events: [OutgoingEvent]) -> String { options.endpoints.address(of: events[0].group) }

    // MARK: Batches

    /// The oldest events that may share a request, without those for receivers that did not take others; nil: none.
    private func nextBatch(besides unreachable: [EventPause.Resting: Duration]) throws -> [StoredEvent]? {
        // Events for another receiver need not wait for one that is out of order, as long as they are near.
        let lookahead = unreachable.isEmpty ? limit : max(1_000, limit)
        while true {
            let events = try withoutOld(try store.oldest(lookahead))
            guard let events else { continue }
            let reachable = events.lazy.filter { [options] in !unreachable.covers($0.event.group, options.endpoints) }
            guard let first = reachable.first else { return nil }
            guard first.event.sharesRequests else { return [first] }
            // Only neighbours: events arrive in the order in which they happened.
            return fitting(Array(reachable.prefix { $0.event.group == first.event.group }))
        }
    }

    /// As many of the events as a request may carry, at least one.
    private func fitting(_ events: [StoredEvent]) -> [StoredEvent] {
        var size = 0
        let count = events.prefix(limit).prefix { entry in
            size += entry.event.visitor.count + 1
            return size <= options.bytesPerRequest
        }.count
        return Array(events.prefix(max(1, count)))
    }

    /// The events, or nil: some of them were too old and are gone, look again.
    private func withoutOld(_ events: [StoredEvent]) throws -> [StoredEvent]? {
        guard let limit = options.maximumAge else { return events }
        let oldest = services.wallClock.millisecondsSince1970() - Int64(limit / .milliseconds(1))
        let old = events.filter { $0.event.timestamp.map { $0 < oldest } ?? false }
        guard !old.isEmpty else { return events }
        try store.remove(old.map(\.id))
        ledger.add(old.count, .tooOld)
        return nil
    }

    // MARK: Requests

    /// Tries to deliver events, again and again with longer pauses.
    private func send(_ events: [OutgoingEvent]) async -> EventReply {
        var reply = EventReply.busy(retryAfter: nil)
        for attempt in 1...max(1, options.attempts) {
            do {
                reply = try await delivery(events)
                if reply != .accepted { services.log(.warning, "\(events.count) events not taken: \(reply)") }
            } catch is EventsMustWait {
                return .busy(retryAfter: options.longestDelay)
            } catch let error as TransportError where error.code == .badAddress {
                services.log.failure(.error, "\(events.count) events", error)
                reply = .misconfigured(status: 0)
            } catch {
                services.log.failure(.warning, "\(events.count) events, attempt \(attempt)", error)
                reply = .busy(retryAfter: nil)
            }
            guard case .busy(let least) = reply else { break }
            let delay = max(backoff.delay(), least ?? .zero)
            reply = .busy(retryAfter: delay)
            // Longer pauses are not for somebody who waits for a flush.
            guard attempt < options.attempts, delay <= options.requestDeadline,
                (try? await services.clock.pause(for: delay)) != nil
            else { break }
        }
        note(reply, count: events.count)
        return reply
    }

    private func note(_ reply: EventReply, count: Int) {
        switch reply {
        case .accepted:
            backoff.reset()
            isMisconfigured = false
            limit = min(max(1, options.eventsPerRequest), 2 * limit)
            services.log(.debug, "\(count) events delivered")
            reportLosses()
        case .misconfigured(let status):
            guard !isMisconfigured else { return }
            isMisconfigured = true
            services.log(.error, "the receiver of events is not the right one, or does not know the project: \(status)")
            options.onMisconfiguration?(status)
        case .invalid, .refused, .tooLarge: backoff.reset()
        case .busy: break
        }
    }

    // MARK: Losses

    private func reject(_ ids: [Int64], of count: Int) throws {
        try store.reject(ids)
        limit = max(1, options.eventsPerRequest)
        services.log(.error, "\(ids.count) of \(count) events are refused for good and put aside")
        ledger.add(ids.count, .refused)
    }

    /// Tells what was given up since events were delivered last.
    private func reportLosses() {
        let losses = ledger.losses + store.losses
        guard losses != reported else { return }
        services.log(.warning, "events given up since the last delivery: \(losses.since(reported))")
        reported = losses
    }
}
