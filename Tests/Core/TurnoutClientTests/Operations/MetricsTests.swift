import Foundation
import TestProcesses

/// Metrics are complete, and their text is valid for Prometheus.
@Suite struct MetricsTests {
    private func value(_ name: String, _ labels: [String: String] = [:], of metrics: MetricsSnapshot) -> Double? {
        metrics.metrics.first { $0.name == name }?.values.first { value in
            Dictionary(value.labels.map { ($0.name, $0.value) }) { $1 } == labels
        }?.value
    }

    /// A client with many flags, whose decisions are counted.
    private func client(flags: Int, _ change: (inout ClientConfiguration) -> Void = { _ in }) -> FlagClient {
        FlagClient.scripted(
            Script((0..<flags).map { .always("flag_\($0)", "on") }),
            configuration: .quiet {
                $0.countsDecisions = true
                change(&$0)
            })
    }

    @Test func metricsShowTheStatus() async throws {
        let setup = OperationsSetup { $0.maximumDatafileAge = .seconds(100) }
        #expect(value("turnout_ready", of: setup.client.metrics) == 0)
        #expect(value("turnout_datafile_age_seconds", of: setup.client.metrics) == nil)
        try await setup.start()
        try await setup.poll()
        try await wait("polling sleeps") { setup.client.status.datafile.nextPoll != nil }
        setup.advance(by: 12)
        let metrics = setup.client.metrics
        #expect(value("turnout_ready", of: metrics) == 1)
        #expect(value("turnout_datafile_info", ["revision": "1", "origin": "downloaded"], of: metrics) == 1)
        #expect(value("turnout_datafile_age_seconds", of: metrics) == 12)
        #expect(value("turnout_datafile_stale", of: metrics) == 0)
        #expect(value("turnout_datafile_last_check_timestamp_seconds", of: metrics) == 1_700_000_060)
        #expect(value("turnout_datafile_last_change_timestamp_seconds", of: metrics) == 1_700_000_000)
        #expect(value("turnout_datafile_requests_total", ["outcome": "unchanged"], of: metrics) == 1)
        #expect(value("turnout_events_queued", ["queue": "events"], of: metrics) == 0)
        #expect(value("turnout_events_lost_total", ["queue": "segment_events", "reason": "no_room"], of: metrics) == 0)
        #expect(value("turnout_profile_failures_total", ["kind": "lookups_timed_out"], of: metrics) == 0)
        #expect(value("turnout_notifications_lost_total", of: metrics) == 0)
        await setup.client.close()
    }

    @Test func decisionsAreCountedByFlagAndVariation() async throws {
        let client = client(flags: 2)
        await concurrently(0..<8) { task in
            for user in 0..<100 { _ = client.user("\(task) \(user)").decide("flag_0") }
        }
        _ = client.user("ada").decideAll()
        _ = await client.user("ada").decide("flag_1", within: .seconds(1))
        _ = client.user("ada").decide("a key that the datafile does not contain")
        let name = "turnout_decisions_total"
        #expect(value(name, ["flag": "flag_0", "variation": "on"], of: client.metrics) == 801)
        #expect(value(name, ["flag": "flag_1", "variation": "on"], of: client.metrics) == 2)
        #expect(client.metrics.metrics.first { $0.name == name }?.values.count == 2)
    }

    @Test func decisionsAreNotCountedByDefault() throws {
        let client = try FlagClient(datafile: UpdateTests.datafile("1"), .quiet())
        _ = client.user("ada").decide("flag")
        #expect(!client.metrics.prometheus().contains("turnout_decisions_total"))
    }

    @Test func theTextHasTypesLabelsAndPlainNumbers() throws {
        let client = FlagClient.scripted(
            Script(.always("flag", "a\"b\\c\nd")), configuration: .quiet { $0.countsDecisions = true })
        _ = client.user("ada").decide("flag")
        let text = client.metrics.prometheus()
        #expect(
            text.hasPrefix(
                "# HELP turnout_ready Whether the client has a datafile.\n# TYPE turnout_ready gauge\nturnout_ready 1\n"
            ))
        #expect(text.contains("turnout_events_delivered_total{queue=\"events\"} 0\n"))
        #expect(text.hasSuffix("turnout_decisions_total{flag=\"flag\",variation=\"a\\\"b\\\\c\\nd\"} 1\n"))
    }

    @Test func severalClientsAreToldApartByLabels() throws {
        let first = client(flags: 1).metrics.labeled(.init("client", "us"))
        let both = first + client(flags: 1).metrics.labeled(.init("client", "eu"))
        #expect(both.metrics.map(\.name) == first.metrics.map(\.name))
        #expect(value("turnout_ready", ["client": "us"], of: both) == 1)
        #expect(value("turnout_ready", ["client": "eu"], of: both) == 1)
    }

    // MARK: Conventions

    @Test func namesFollowTheConventions() {
        let client = client(flags: 1)
        _ = client.user("ada").decideAll()
        let metrics = client.metrics.metrics
        #expect(Set(metrics.map(\.name)).count == metrics.count)
        for metric in metrics {
            #expect(metric.name.wholeMatch(of: /turnout_[a-z]+(_[a-z]+)*/) != nil)
            #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter))
            #expect(metric.help.hasSuffix(".") && !metric.help.contains { "\\\n".contains($0) })
            let labels = metric.values.map { $0.labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",") }
            #expect(Set(labels).count == labels.count)
            #expect(Set(metric.values.map { $0.labels.map(\.name) }).count == 1)
        }
    }

    /// Python with Prometheus's own parser, installed by `Scripts/setup`.
    private static let python = "\(root)/.build/prometheus-client/bin/python"
    private static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python) }
    private static var root: String {
        URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/").replacingOccurrences(
            of: "//", with: "/")
    }

    private static let program = """
        import sys
        from prometheus_client.parser import text_string_to_metric_families
        for family in text_string_to_metric_families(sys.stdin.read()):
            for sample in family.samples:
                print(family.type, sample.name, sorted(sample.labels.items()), float(sample.value))
        """

    @Test(.enabled(if: isInstalled, "Scripts/setup installs the parser"))
    func prometheusReadsTheText() async throws {
        let client = FlagClient.scripted(
            Script(.always("flag", "a\"b\\c\nd ü\u{2028}"), .off("other")),
            configuration: .quiet {
                $0.countsDecisions = true
                $0.eventStore = .memory(limit: 1)
            })
        for user in 1...3 { _ = client.user("\(user)").decideAll() }
        let metrics = client.metrics
        let text = Data(metrics.prometheus().utf8)
        let read = try await blocking { try ChildProcess.output(of: Self.python, ["-c", Self.program], input: text) }
        let lines = read.split(separator: "\n").map(String.init)
        #expect(lines.count == metrics.metrics.reduce(0) { $0 + $1.values.count })
        #expect(lines.contains("gauge turnout_ready [] 1.0"))
        #expect(lines.contains("counter turnout_events_lost_total [('queue', 'events'), ('reason', 'no_room')] 5.0"))
        #expect(
            lines.contains(
                #"counter turnout_decisions_total [('flag', 'flag'), ('variation', 'a"b\\c\nd ü\u2028')] 3.0"#))
    }
}
