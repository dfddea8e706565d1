import TurnoutClient
import TurnoutEngine

/// The routes that tell whether the server works: `/ready`, `/status` and `/metrics`. `/health` is one of the Agent's.
package struct OperationsRoutes: Sendable {
    private let state: ServerState
    private let version: String
    private let reports: [ServiceReport]
    private let requests: RequestMetrics
    private let uptime: @Sendable () -> Duration

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - state: Whether the server takes requests.
    ///   - version: The version of the server.
    ///   - reports: What the parts of the server report.
    ///   - requests: Counts the requests.
    ///   - clock: Measures the uptime, from now on. Default: the system's.
    package init(
        _ state: ServerState, version: String, reports: [ServiceReport], requests: RequestMetrics,
        clock: any Clock<Duration> = .continuous
    ) {
        self.state = state
        self.version = version
        self.reports = reports
        self.requests = requests
        uptime = clock.stopwatch()
    }

    package var routes: [Route] {
        [
            Route("GET", "/ready", "tells whether the server is ready for requests", access: .open) { _ in .now(ready)
            },
            Route("GET", "/status", "tells what the server is doing, as JSON", access: .management(.read)) { _ in
                .now(status)
            },
            Route("GET", "/metrics", "metrics for Prometheus", access: .management(.read)) { _ in
                .blocking { metricsText }
            },
        ]
    }

    private var ready: ServerResponse {
        let problems = state.problems
        let impairments = state.impairments
        return .json(problems.isEmpty ? 200 : 503) {
            $0.member("status", problems.isEmpty ? "ready" : "not ready")
            if !problems.isEmpty { Self.write("problems", problems, to: &$0) }
            if !impairments.isEmpty { Self.write("impairments", impairments, to: &$0) }
        }
    }

    private static func write(
        _ key: String, _ problems: [(name: String, problem: String)], to writer: inout JSONWriter
    ) {
        writer.object(key) { writer in
            for (name, problem) in problems { writer.member(name, problem) }
        }
    }

    private var status: ServerResponse {
        .json {
            $0.member("version", version)
            $0.member("phase", state.phase.rawValue)
            $0.member("uptimeSeconds", Int(uptime() / .seconds(1)))
            Self.write("problems", state.problems, to: &$0)
            Self.write("impairments", state.impairments, to: &$0)
            for report in reports {
                if let write = report.status { $0.member(report.name, write) }
            }
        }
    }

    private var metricsText: ServerResponse {
        var snapshot = MetricsSnapshot()
        snapshot.add(
            .gauge, "turnout_server_ready", "Whether the server is ready for requests.",
            [MetricsSnapshot.Value(state.problems.isEmpty)])
        snapshot.add(
            .gauge, "turnout_server_impaired", "Whether a part cannot do everything although the server is ready.",
            state.impairedParts.map { MetricsSnapshot.Value($0.isImpaired ? 1 : 0, .init("part", $0.name)) })
        snapshot.add(
            .gauge, "turnout_server_uptime_seconds", "Time since the start of the server.",
            [MetricsSnapshot.Value(uptime() / .seconds(1))])
        let text = reports.reduce(snapshot + requests.snapshot) { $0 + $1.metrics() }.prometheus() + requests.histogram
        return ServerResponse(
            200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"], body: .bytes(Array(text.utf8)))
    }
}
