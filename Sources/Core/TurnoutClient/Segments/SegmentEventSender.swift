/// Delivers segment events, one request at a time.
actor SegmentEventSender {
    private let store: SegmentEventStore
    private var running: Task<Int, Never>?

    init(store: SegmentEventStore) { self.store = store }

    /// Delivers everything that waits, or as much as works. Whoever asks while it is at work waits for that.
    ///
    /// - Returns: How many events were given up, because the service does not want them.
    @discardableResult
    func deliver(through outlet: SegmentEventOutlet) async -> Int {
        if let running {
            _ = await running.value
            return 0
        }
        let task = Task { await deliverAll(outlet) }
        running = task
        return await task.value
    }

    private func deliverAll(_ outlet: SegmentEventOutlet) async -> Int {
        defer { running = nil }
        let log = outlet.log
        let most = outlet.options.eventsPerRequest
        var limit = most
        var rejected = 0
        var failed: Set<OdpService> = []
        while let (service, entries) = store.batch(limit, besides: failed) {
            switch await send(entries.map(\.event), to: service, outlet) {
            case .accepted: store.remove(entries)
            case .invalid(let places):
                store.remove(places.map { entries[$0] })
                rejected += places.count
                log(.error, "segment events: \(places.count) of \(entries.count) are invalid and given up")
            case .refused where entries.count > 1:
                // Half as many at a time, until the bad one stands alone.
                limit = entries.count / 2
            case .refused:
                store.remove(entries)
                rejected += 1
                limit = most
                log(.error, "segment events: one is refused and given up")
            case .busy, .misconfigured:
                // They stay for the next occasion. Events for another service need not wait for this one.
                failed.insert(service)
                limit = most
            }
        }
        let unwanted = store.removeUnwanted()
        if unwanted > 0 { log(.info, "segment events: \(unwanted) dropped, the datafile names no service for them") }
        return rejected
    }

    /// Tries to deliver events, again and again with longer pauses.
    private func send(
        _ events: [SegmentEvent], to service: OdpService, _ outlet: SegmentEventOutlet
    ) async -> SegmentEventReply {
        let (options, log) = (outlet.options, outlet.log)
        guard let transport = outlet.transport else { return .busy }
        let request = service.request(handingIn: events, deadline: options.requestDeadline)
        var delay = options.firstDelay
        for attempt in 1...max(1, options.attempts) {
            do {
                let response = try await transport.send(request)
                let reply = SegmentEventReply(response, count: events.count)
                if reply == .accepted { return reply }
                log(.warning, "\(events.count) segment events: answer \(response.status), attempt \(attempt)")
                if reply != .busy { return reply }
            } catch {
                log(.warning, "\(events.count) segment events: \(error), attempt \(attempt)")
            }
            guard attempt < options.attempts, (try? await outlet.clock.pause(for: delay)) != nil else { break }
            delay *= 2
        }
        return .busy
    }
}

/// What segment events are delivered with.
package struct SegmentEventOutlet: Sendable {
    /// Sends requests; nil: events only wait.
    package var transport: (any Transport)?
    /// Measures the pauses between attempts.
    package var clock: any Clock<Duration> = .continuous
    /// Where trouble is reported.
    package var log: any Log = .standardError
    /// When and how.
    package var options = SegmentEventOptions()

    /// The standard outlet, without a transport; change what you need.
    package init() {}
}

/// When and how segment events are delivered. Every number that matters is here.
package struct SegmentEventOptions: Sendable {
    /// How many events a request carries at most. The vendor's clients send as many. Default: 10.
    package var eventsPerRequest = 10
    /// How many events may wait; further ones are given up. Default: 100.
    package var waitingEvents = 100
    /// How long a request may take. Default: 10 seconds.
    package var requestDeadline = Duration.seconds(10)
    /// How often a request is tried in a row before the events wait for the next occasion. Default: 3.
    package var attempts = 3
    /// How long to wait after the first failed attempt; twice as long after each further one. Default: 0.2 seconds.
    package var firstDelay = Duration.milliseconds(200)

    /// The standard options; change what you need.
    package init() {}
}
