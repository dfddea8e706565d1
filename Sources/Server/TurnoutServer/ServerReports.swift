import TurnoutClient
import TurnoutEngine

// Reports of the parts of a server about themselves.

extension ServiceReport {
    /// The build and the process, whose metrics have the names that Prometheus's client libraries give them.
    static func process(_ version: String, startedAt start: Int64) -> ServiceReport {
        ServiceReport("process") { $0.addProcess(version, startedAt: start) }
    }

    /// The files of the server, and the room on their disk.
    static func storage(_ directory: String) -> ServiceReport {
        ServiceReport("storage") { snapshot in
            // Also those that were damaged, and are kept beside new ones.
            let databases = SystemCall.names(in: directory).filter { $0.contains(".sqlite") }.sorted()
            snapshot.add(
                .gauge, "turnout_database_bytes", "The size of a file of a database in the data folder.",
                databases.map { .init(SystemCall.size(of: directory + "/" + $0), .init("file", $0)) })
            guard let room = SystemCall.room(for: directory) else { return }
            snapshot.add(
                .gauge, "turnout_disk_size_bytes", "The size of the disk of the data folder.", [.init(room.size)])
            snapshot.add(
                .gauge, "turnout_disk_available_bytes",
                "The bytes on the disk of the data folder that the server may still write.",
                [.init(room.available)])
        }
    }

    static func connections(_ listener: any HTTPListener) -> ServiceReport {
        ServiceReport("connections") { snapshot in
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
    }

    /// The bodies that no route can read.
    static func bodies(_ refused: RefusedBodies) -> ServiceReport {
        ServiceReport("bodies") { snapshot in
            snapshot.add(
                .counter, "turnout_request_bodies_refused_total",
                "Bodies that no route could read, by reason. Nothing of them is kept.",
                RefusedBodies.Reason.allCases.map { .init(refused[$0], .init("reason", $0.rawValue)) })
        }
    }

    static func clients(_ clients: DecisionClients) -> ServiceReport {
        ServiceReport("clients") { snapshot in
            let counts = clients.counts
            snapshot.add(.counter, "turnout_decisions_total", "Decisions over HTTP.", [.init(counts.decisions)])
            snapshot.add(
                .gauge, "turnout_decision_clients", "SDK keys with a client in memory.", [.init(counts.clients)])
            snapshot.add(
                .counter, "turnout_decision_clients_evicted_total",
                "Clients removed because they were idle or too many.", [.init(counts.evicted)])
            snapshot.add(
                .counter, "turnout_unknown_sdk_keys_total", "Requests with an SDK key that has no datafile.",
                [.init(counts.unknownKeys)])
            snapshot.add(
                .gauge, "turnout_notification_streams", "Open streams of decisions and conversions.",
                [.init(counts.streams)])
            snapshot = snapshot + clients.usage.metrics
        }
    }

    /// The attributes in requests that datafiles do not know, by name.
    static func unknownAttributes(_ clients: DecisionClients) -> ServiceReport {
        var report = ServiceReport("unknownAttributes")
        report.status = { writer in
            let unknown = clients.unknownAttributes
            writer.value(
                .object([
                    "names": .object(unknown.counts.mapValues { .integer(Int64($0)) }),
                    "others": .integer(Int64(unknown.others)),
                ]))
        }
        report.metrics = {
            let unknown = clients.unknownAttributes
            var snapshot = MetricsSnapshot()
            snapshot.add(
                .counter, "turnout_unknown_attributes_total", "Attributes in requests that no datafile knows.",
                [.init(unknown.counts.values.reduce(unknown.others, +))])
            return snapshot
        }
        return report
    }

    /// The streams of changed flags.
    static func streams(_ streams: EventStreamHub) -> ServiceReport {
        ServiceReport("streams") { snapshot in
            snapshot.add(
                .gauge, "turnout_flag_change_streams", "Open streams of changed flags, and of the page Live.",
                [.init(streams.count)])
            snapshot.add(
                .counter, "turnout_flag_change_streams_refused_total",
                "Streams that were refused because there were too many.", [.init(streams.refused)])
        }
    }

    /// The requests that were denied.
    static func access(_ access: AccessControl) -> ServiceReport {
        ServiceReport("access") { snapshot in
            snapshot.add(
                .counter, "turnout_http_requests_denied_total", "Requests that may not reach their route, by reason.",
                access.refusals.map { .init($0.count, .init("reason", $0.reason.rawValue)) })
        }
    }

    /// A report of metrics alone.
    private init(_ name: String, metrics: @escaping @Sendable (inout MetricsSnapshot) -> Void) {
        self.init(name)
        self.metrics = {
            var snapshot = MetricsSnapshot()
            metrics(&snapshot)
            return snapshot
        }
    }
}
