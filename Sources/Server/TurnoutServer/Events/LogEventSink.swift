package import TurnoutClient

/// Appends the impressions and conversions that the server itself decides to the log of received events.
package final class LogEventSink: EventSink {
    /// Whether decisions wait until their events are in the log.
    package let waits: Bool
    private let log: SegmentLog
    private let wallClock: any WallClock
    private let onAppend: @Sendable () -> Void
    private let lost = Locked(EventLosses())

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - log: The log of received events.
    ///   - waits: Whether decisions wait until their events are in the log. Default: false; if the process ends
    ///     abruptly, the events of the last commit are lost.
    ///   - wallClock: Provides the time of receipt. Default: the system's.
    ///   - onAppend: Called when events are in the log. Default: nothing.
    package init(
        _ log: SegmentLog, waits: Bool = false, wallClock: any WallClock = .system,
        onAppend: @escaping @Sendable () -> Void = {}
    ) {
        self.log = log
        self.waits = waits
        self.wallClock = wallClock
        self.onAppend = onAppend
    }

    @discardableResult
    package func accept(_ event: OutgoingEvent) -> EventAcceptance {
        start([event])
        return .notDurable
    }

    package func accept(_ events: [OutgoingEvent]) {
        for payload in payloads(events) { start(payload) }
    }

    package func acceptDurably(_ events: [OutgoingEvent]) async -> [EventAcceptance] {
        var outcomes: [EventAcceptance] = []
        for payload in payloads(events) {
            let isAccepted: Bool
            do {
                try await log.append(OutgoingEvent.payload(of: payload), receivedAt: wallClock.millisecondsSince1970())
                isAccepted = true
                onAppend()
            } catch {
                count(payload.count, error)
                isAccepted = false
            }
            outcomes += payload.map { _ in isAccepted ? .accepted : .lost }
        }
        return outcomes
    }

    package func flush() async { await log.flush() }

    package func flush(within limit: Duration) async { await log.flush() }

    package func close(within limit: Duration) async { await log.flush() }

    package var losses: EventLosses { lost.withLock { $0 } }

    private func start(_ events: [OutgoingEvent]) {
        log.append(OutgoingEvent.payload(of: events), receivedAt: wallClock.millisecondsSince1970()) { [self] result in
            switch result {
            case .success: onAppend()
            case .failure(let error): count(events.count, error)
            }
        }
    }

    private func count(_ count: Int, _ error: EventLogError) {
        lost.withLock { $0.add(count, error == .full ? .noRoom : .notStored) }
    }

    /// The events divided into those that share a payload.
    private func payloads(_ events: [OutgoingEvent]) -> [[OutgoingEvent]] {
        var payloads: [[OutgoingEvent]] = []
        for event in events {
            if event.sharesRequests, payloads.last?.last?.group == event.group {
                payloads[payloads.count - 1].append(event)
            } else {
                payloads.append([event])
            }
        }
        return payloads
    }
}
