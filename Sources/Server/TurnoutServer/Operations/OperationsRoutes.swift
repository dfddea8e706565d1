package import TurnoutClient
package import TurnoutEngine

/// The routes that tell whether the server works: `/health`, `/ready`, `/status` and `/metrics`.
package struct OperationsRoutes: Sendable {
    /// A member of the status: its key, and the function that writes its value.
    package struct Section: Sendable {
        let key: String
        let write: @Sendable (inout JSONWriter) -> Void

        /// Creates a section. The value must not contain secrets or personal data.
        package init(_ key: String, write: @escaping @Sendable (inout JSONWriter) -> Void) {
            self.key = key
            self.write = write
        }
    }

    private let state: ServerState
    private let version: String
    private let sections: [Section]
    private let metrics: @Sendable () -> MetricsSnapshot
    private let histogram: @Sendable () -> String
    private let uptime: @Sendable () -> Duration

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - state: Whether the server takes requests.
    ///   - version: The version of the server.
    ///   - sections: The members of the status.
    ///   - metrics: The metrics of all parts.
    ///   - histogram: The times of requests, in Prometheus's text format.
    ///   - clock: Measures the uptime, from now on. Default: the system's.
    package init(
        _ state: ServerState, version: String, sections: [Section], metrics: @escaping @Sendable () -> MetricsSnapshot,
        histogram: @escaping @Sendable () -> String, clock: any Clock<Duration> = .continuous
    ) {
        self.state = state
        self.version = version
        self.sections = sections
        self.metrics = metrics
        self.histogram = histogram
        uptime = clock.stopwatch()
    }

    /// The routes.
    package var routes: [Route] {
        [
            Route("GET", "/health", "tells whether the process is alive", access: .open) { _ in .now(health) },
            Route("GET", "/ready", "tells whether the server shall get requests", access: .open) { _ in .now(ready) },
            Route("GET", "/status", "tells what the server is doing, as JSON", access: .management(.read)) { _ in
                .now(status)
            },
            Route("GET", "/metrics", "metrics for Prometheus", access: .management(.read)) { _ in .now(metricsText) },
        ]
    }

    private var health: ServerResponse { .json(200, Array("{\"status\":\"ok\"}\n".utf8)) }

    private var ready: ServerResponse {
        let problems = state.problems
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("status")
        writer.string(problems.isEmpty ? "ready" : "not ready")
        if !problems.isEmpty { Self.write(problems, to: &writer) }
        writer.endObject()
        writer.newline()
        return .json(problems.isEmpty ? 200 : 503, writer.bytes)
    }

    private static func write(_ problems: [(check: String, problem: String)], to writer: inout JSONWriter) {
        writer.key("problems")
        writer.beginObject()
        for (check, problem) in problems {
            writer.key(check)
            writer.string(problem)
        }
        writer.endObject()
    }

    private var status: ServerResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("version")
        writer.string(version)
        writer.key("phase")
        writer.string(state.phase.rawValue)
        writer.key("uptimeSeconds")
        writer.integer(Int64(uptime() / .seconds(1)))
        Self.write(state.problems, to: &writer)
        for section in sections {
            writer.key(section.key)
            section.write(&writer)
        }
        writer.endObject()
        writer.newline()
        return .json(200, writer.bytes)
    }

    private var metricsText: ServerResponse {
        var snapshot = MetricsSnapshot()
        snapshot.add(
            .gauge, "turnout_server_ready", "Whether the server shall get requests.",
            [MetricsSnapshot.Value(state.problems.isEmpty)])
        snapshot.add(
            .gauge, "turnout_server_uptime_seconds", "Time since the start of the server.",
            [MetricsSnapshot.Value(uptime() / .seconds(1))])
        let text = (snapshot + metrics()).prometheus() + histogram()
        return ServerResponse(
            200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"], body: .bytes(Array(text.utf8)))
    }
}
