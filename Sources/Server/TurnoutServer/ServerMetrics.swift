import TurnoutClient

/// The metrics of all parts of a server.
final class ServerMetrics: Sendable {
    private let listener: any HTTPListener
    private let clients: DecisionClients
    private let streams: EventStreamHub
    private let access: AccessControl
    private let report: DatafileReport
    /// Set once all routes are known.
    private let measured = Locked<RequestMetrics?>(nil)

    init(
        listener: any HTTPListener, clients: DecisionClients, streams: EventStreamHub, access: AccessControl,
        report: DatafileReport
    ) {
        self.listener = listener
        self.clients = clients
        self.streams = streams
        self.access = access
        self.report = report
    }

    /// The counts of requests.
    var requests: RequestMetrics? { measured.withLock { $0 } }

    /// Includes the counts of requests.
    func measure(_ requests: RequestMetrics) { measured.withLock { $0 = requests } }

    /// All metrics but the times of requests.
    var snapshot: MetricsSnapshot {
        var snapshot = report.metrics + (requests?.snapshot ?? MetricsSnapshot())
        addConnections(to: &snapshot)
        addClients(to: &snapshot)
        snapshot.add(
            .counter, "turnout_requests_denied_total", "Requests that may not reach their route, by reason.",
            access.refusals.map { .init($0.count, .init("reason", $0.reason.rawValue)) })
        return snapshot
    }

    private func addConnections(to snapshot: inout MetricsSnapshot) {
        let counts = listener.counts
        snapshot.add(.gauge, "turnout_http_connections", "Open connections.", [.init(counts.connections)])
        snapshot.add(
            .counter, "turnout_http_connections_refused_total", "Connections closed because there were too many.",
            [.init(counts.refusedConnections)])
        snapshot.add(
            .counter, "turnout_http_requests_refused_total", "Requests that are invalid HTTP or too large.",
            [.init(counts.refusedRequests)])
        snapshot.add(
            .counter, "turnout_http_requests_timed_out_total", "Requests that were not complete in time.",
            [.init(counts.timedOutRequests)])
    }

    private func addClients(to snapshot: inout MetricsSnapshot) {
        let counts = clients.counts
        snapshot.add(.counter, "turnout_decisions_total", "Decisions over HTTP.", [.init(counts.decisions)])
        snapshot.add(.gauge, "turnout_decision_clients", "SDK keys with a client in memory.", [.init(counts.clients)])
        snapshot.add(
            .counter, "turnout_decision_clients_evicted_total", "Clients removed because they were idle or too many.",
            [.init(counts.evicted)])
        snapshot.add(
            .counter, "turnout_unknown_sdk_keys_total", "Requests with an SDK key that has no datafile.",
            [.init(counts.unknownKeys)])
        snapshot.add(
            .gauge, "turnout_event_streams", "Open streams of server-sent events, by kind.",
            [
                .init(streams.count, .init("kind", "flag_changes")),
                .init(counts.streams, .init("kind", "notifications")),
            ])
        snapshot.add(
            .counter, "turnout_event_streams_refused_total", "Streams that were refused because there were too many.",
            [.init(streams.refused)])
    }
}
