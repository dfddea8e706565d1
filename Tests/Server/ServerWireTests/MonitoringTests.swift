#if os(Linux) && Server && YAML
    import Foundation
    import TestProcesses
    import TestSupport

    /// The alert rules and the dashboard of `Examples/Deploy`, and the metrics that they need.
    @Suite(
        "Monitoring", .blocking, .enabled(if: access("/usr/bin/promtool", X_OK) == 0, "Scripts/setup installs promtool")
    )
    struct MonitoringTests {
        private static let deploy =
            URL(filePath: #filePath).appending(path: "../../../../Examples/Deploy").standardized.path

        /// For each alert, metrics of three hours with which it fires, and no other one does.
        private static let faults: KeyValuePairs = [
            "TurnoutDown": ["up": "0x180"],
            "TurnoutNotReady": ["turnout_server_ready": "0x180"],
            "TurnoutImpaired": ["turnout_server_impaired": "1x180"],
            "TurnoutRestarts": ["process_start_time_seconds": "0+60x180", "turnout_build_info": "1x180"],
            "TurnoutErrors": [#"turnout_http_requests_total{status="500"}"#: "0+60x180"],
            "TurnoutSlow": [
                #"turnout_http_request_duration_seconds_bucket{route="/v1/decide",le="0.05"}"#: "0x180",
                #"turnout_http_request_duration_seconds_bucket{route="/v1/decide",le="1"}"#: "0+60x180",
                #"turnout_http_request_duration_seconds_bucket{route="/v1/decide",le="+Inf"}"#: "0+60x180",
            ],
            "TurnoutConnectionsRefused": ["turnout_http_connections_refused_total": "0+1x180"],
            "TurnoutFilesNearlyUsed": [
                "process_open_fds": "90x180", "process_max_fds": "100x180", "turnout_build_info": "1x180",
            ],
            "TurnoutFlagsNotUpdated": ["turnout_datafile_sources_failing": "1x180"],
            "TurnoutUpstreamSilent": ["turnout_upstream_age_seconds": "1000x180"],
            "TurnoutEventsRefused": ["turnout_event_requests_refused_total": "0+1x180"],
            "TurnoutEventLogFills": [
                "turnout_event_log_unread_bytes": "60x180", "turnout_event_log_maximum_bytes": "100x180",
            ],
            "TurnoutEventsNotRead": [#"turnout_event_log_unread_age_seconds{reader="processing"}"#: "1000x180"],
            "TurnoutEngineNotWritten": [
                #"turnout_event_log_unread_age_seconds{reader="writing to x"}"#: "700x180"
            ],
            "TurnoutEngineRefuses": [#"turnout_engine_events_total{outcome="rejected"}"#: "0+1x180"],
            "TurnoutExportNotRun": [#"turnout_event_log_unread_age_seconds{reader="the export to /x"}"#: "200000x180"],
            "TurnoutBodiesUnreadable": [#"turnout_request_bodies_refused_total{reason="x"}"#: "0+10x180"],
            "TurnoutAssignmentsNotRead": ["turnout_profile_lookups_failed_total": "0+1x180"],
            "TurnoutAssignmentsLost": ["turnout_profile_assignments_lost_total": "0+1x180"],
            "TurnoutDiskNearlyFull": ["turnout_disk_available_bytes": "5x180", "turnout_disk_size_bytes": "100x180"],
            "TurnoutDiskFillsWithinADay": ["turnout_disk_available_bytes": "1000-1x180"],
            "TurnoutEventLogDamaged": ["turnout_event_log_damaged_bytes_total": "1x180"],
            "TurnoutEventsRebuilt": ["turnout_event_rebuilds_total": "1x180"],
        ]

        private let folder = TemporaryDirectory(isCreated: true)

        private static func text(_ name: String) throws -> String {
            try String(contentsOfFile: "\(deploy)/\(name)", encoding: .utf8)
        }

        /// Writes a file for promtool, and runs it.
        private func promtool(_ command: String..., file: String, _ content: Any) async throws {
            let path = "\(folder.path)/\(file)"
            try JSONSerialization.data(withJSONObject: content, options: .withoutEscapingSlashes).write(
                to: URL(filePath: path))
            try await blocking { [command] in try ChildProcess.run("promtool", command + [path]) }
        }

        /// The metrics of a server that decides, relays, forwards and stores everything.
        private func metrics() async throws -> String {
            try ServedProject.edit(folder.path, 1, sdkKeys: ["key", "relayed"])
            let first = try await ServedProject(folder.path)
            let engine = try await ClickHouse()
            try await blocking {
                let setup = ["engine", "setup", "--engine", engine.credentialed]
                try ChildProcess.run(ServedProject.program, setup)
            }
            let second = try await ServedProject(
                folder.path,
                options: [
                    "--environment", "production", "--data", folder.path + "/data", "--upstream",
                    first.address + "/datafiles/{sdkKey}.json",
                    "--sdk-keys", "relayed", "--set", "events.forward=\(first.address)/v1/events", "--set",
                    "events.engine=\(engine.credentialed)",
                ])
            func send(_ method: HTTPRequest.Method, _ path: String) async throws -> String {
                let request = HTTPRequest(
                    method, second.address + path,
                    headers: ["X-Optimizely-SDK-Key": "key", "Content-Type": "application/json"],
                    body: method == .post ? Array(#"{"userId":"ada"}"#.utf8) : [])
                return String(decoding: try await LiveTransport.make().send(request).body, as: UTF8.self)
            }
            #expect(try await send(.post, "/v1/decide").contains(#""variationKey":"on""#))
            var text = ""
            try await wait("the exposure to be processed and forwarded") {
                text = try await send(.get, "/metrics")
                return text.firstMatch(of: /turnout_flag_exposures_total{project="\d+",flag="a",variation="on"} 1\n/)
                    != nil
                    && text.contains(#"turnout_event_requests_forwarded_total{outcome="delivered"} 1"#)
            }
            for server in [second, first] { try await server.stop() }
            return text
        }

        @Test func alertsAndDashboardFitTheMetricsOfAServer() async throws {
            let text = try await metrics()
            #expect(text.contains("\nturnout_upstream_age_seconds{sdk_key=\""), "\(text)")
            for reader in ["processing", "forwarding to http://127.0.0.1", "writing to http://127.0.0.1"] {
                #expect(text.contains("\nturnout_event_log_unread_bytes{reader=\"\(reader)"), "\(text)")
            }
            try await lint(text)
            var names: Set<Substring> = ["up"]
            for (_, name, kind) in text.matches(of: /# TYPE (\w+) (\w+)/).map(\.output) {
                names.formUnion(kind == "histogram" ? [name + "_bucket", name + "_sum", name + "_count"] : [name])
            }
            for file in ["alerts.yaml", "dashboard.json"] {
                let used = Set(try Self.text(file).matches(of: /\b(turnout|process)_[a-z0-9_]+/).map(\.output.0))
                #expect(used.subtracting(names).isEmpty && used.count > 10, "\(file)")
            }
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasPrefix("turnout_disk_") }
            let healthy = lines.map { line in
                let place = line.lastIndex(of: " ") ?? line.endIndex
                return (String(line[..<place]), "\(line[place...].dropFirst())x180")
            }
            try await expect([], of: Dictionary(uniqueKeysWithValues: healthy))
        }

        private func lint(_ text: String) async throws {
            let process = try ChildProcess("promtool", ["check", "metrics"], errors: .pipe)
            try process.write(Data(text.utf8))
            process.closeInput()
            let (problems, status) = try await blocking { (try process.readToEnd(), process.waitUntilExit()) }
            #expect(status == 0, "\(problems)")
        }

        @Test func eachFaultRaisesItsAlert() async throws {
            let rules = try Self.text("alerts.yaml")
            #expect(rules.matches(of: /- alert: (\w+)/).map { String($0.1) } == Self.faults.map(\.key))
            for part in ["summary: ", "action: "] {
                #expect(rules.matches(of: try Regex(part)).count == Self.faults.count)
            }
            try await blocking { try ChildProcess.run("promtool", ["check", "rules", Self.deploy + "/alerts.yaml"]) }
            for (alert, series) in Self.faults { try await expect([alert], of: series) }
        }

        /// Expects the alerts that fire after three hours.
        private func expect(_ alerts: [String], of series: [String: String]) async throws {
            let labels = #"job="turnout",instance="a""#
            let input = series.map { name, values in
                [
                    "series": name.hasSuffix("}") ? "\(name.dropLast()),\(labels)}" : "\(name){\(labels)}",
                    "values": values,
                ]
            }
            let test: [String: Any] = [
                "interval": "1m", "input_series": input,
                "promql_expr_test": [
                    [
                        "expr": #"count by (alertname) (ALERTS{alertstate="firing"})"#, "eval_time": "3h",
                        "exp_samples": alerts.map { ["labels": "{alertname=\"\($0)\"}", "value": 1] as [String: Any] },
                    ]
                ],
            ]
            let content: [String: Any] = ["rule_files": [Self.deploy + "/alerts.yaml"], "tests": [test]]
            try await promtool("test", "rules", file: "test.yaml", content)
        }

        /// The panels have all that Grafana needs, and Prometheus can read their expressions.
        @Test func theDashboardIsValid() async throws {
            let content = try JSONSerialization.jsonObject(with: Data(Self.text("dashboard.json").utf8))
            let panels = try #require((content as? [String: Any])?["panels"] as? [[String: Any]])
            #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
            #expect(panels.count { $0["type"] as? String == "row" } == 4)
            var rules: [[String: String]] = []
            for panel in panels where panel["type"] as? String != "row" {
                #expect(panel["title"] is String && panel["gridPos"] is [String: Int] && panel["fieldConfig"] != nil)
                for target in try #require(panel["targets"] as? [[String: Any]]) {
                    let text = try #require(target["expr"] as? String).replacing("$__rate_interval", with: "5m")
                    #expect(target["refId"] is String && text.contains("$instance"))
                    rules.append(["record": "panel:expression\(rules.count)", "expr": text])
                }
            }
            try await promtool("check", "rules", file: "rules.yaml", ["groups": [["name": "panels", "rules": rules]]])
        }
    }
#endif
