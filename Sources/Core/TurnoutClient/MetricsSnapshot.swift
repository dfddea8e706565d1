/// The metrics of a client at one time, for any monitoring system.
///
/// ```swift
/// let text = client.metrics.prometheus()
/// ```
///
/// Names, units and labels follow the conventions of Prometheus. Labels contain keys and revisions of the datafile, but
/// no user data.
public struct MetricsSnapshot: Sendable, Equatable {
    /// One metric with all its values.
    public struct Metric: Sendable, Equatable {
        /// How values change.
        public enum Kind: String, Sendable {
            /// The value only grows, and starts at zero with the client.
            case counter
            /// The value grows and falls.
            case gauge
        }

        /// The name, such as `turnout_events_delivered_total`. Ends with its unit, and that of a counter with `_total`.
        public let name: String
        /// One sentence about the meaning.
        public let help: String
        /// How values change.
        public let kind: Kind
        /// The values, each with different labels.
        public internal(set) var values: [Value]
    }

    /// A value and its labels.
    public struct Value: Sendable, Equatable {
        /// The labels, as pairs of a name and a value in a fixed order.
        public internal(set) var labels: [Label]
        /// The value.
        public let value: Double
    }

    /// A label of a value.
    public struct Label: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The value, any string.
        public let value: String

        /// Creates a label.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The metrics, in a fixed order. Metrics without values, such as the age of a missing datafile, are left out.
    public private(set) var metrics: [Metric] = []

    package init() {}

    /// A copy whose values have further labels, to tell apart several clients of a program.
    public func labeled(_ labels: Label...) -> MetricsSnapshot {
        var copy = self
        for metric in metrics.indices {
            for value in metrics[metric].values.indices { copy.metrics[metric].values[value].labels += labels }
        }
        return copy
    }

    /// The metrics of several clients together; give each client a different label first.
    public static func + (left: MetricsSnapshot, right: MetricsSnapshot) -> MetricsSnapshot {
        var sum = left
        for metric in right.metrics {
            if let place = sum.metrics.firstIndex(where: { $0.name == metric.name }) {
                sum.metrics[place].values += metric.values
            } else {
                sum.metrics.append(metric)
            }
        }
        return sum
    }

    /// Adds a metric, unless it has no values.
    package mutating func add(_ kind: Metric.Kind, _ name: String, _ help: String, _ values: [Value]) {
        if !values.isEmpty { metrics.append(Metric(name: name, help: help, kind: kind, values: values)) }
    }
}

extension MetricsSnapshot.Value {
    package init(_ value: Double, _ labels: MetricsSnapshot.Label...) { (self.labels, self.value) = (labels, value) }
    package init(_ value: Int, _ labels: MetricsSnapshot.Label...) {
        (self.labels, self.value) = (labels, Double(value))
    }
    package init(_ isTrue: Bool) { (labels, value) = ([], isTrue ? 1 : 0) }
}

extension MetricsSnapshot {
    /// The metrics in Prometheus's text format, version 0.0.4, for a response of the type
    /// `text/plain; version=0.0.4; charset=utf-8`. The text of other metrics can be appended.
    ///
    /// ```text
    /// # HELP turnout_ready Whether the client has a datafile.
    /// # TYPE turnout_ready gauge
    /// turnout_ready 1
    /// ```
    public func prometheus() -> String {
        var text = ""
        text.reserveCapacity(metrics.reduce(0) { $0 + 200 + 80 * $1.values.count })
        for metric in metrics {
            text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for value in metric.values {
                text += metric.name
                Self.write(value.labels, to: &text)
                text += " "
                text += Self.number(value.value)
                text += "\n"
            }
        }
        return text
    }

    private static func write(_ labels: [Label], to text: inout String) {
        for (place, label) in labels.enumerated() {
            text += place == 0 ? "{" : ","
            text += label.name
            text += "=\""
            for scalar in label.value.unicodeScalars {
                switch scalar {
                case "\\": text += "\\\\"
                case "\"": text += "\\\""
                case "\n": text += "\\n"
                default: text.unicodeScalars.append(scalar)
                }
            }
            text += "\""
        }
        if !labels.isEmpty { text += "}" }
    }

    /// The number without a fraction if it has none: `12`, `0.25`.
    private static func number(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "\(value)" }

    /// The metrics of a status. The counts of decisions are added if there are any.
    package init(_ status: ClientStatus) {
        self.init()
        add(.gauge, "turnout_ready", "Whether the client has a datafile.", [Value(status.isReady)])
        addDatafile(status.datafile)
        addEvents([("events", status.events), ("segment_events", status.segmentEvents)])
        add(
            .counter, "turnout_profile_failures_total", "Failures of the profile store during decisions, by kind.",
            ProfileFailures.Kind.allCases.map { Value(status.profileFailures[$0], Label("kind", $0.metricLabel)) })
        add(
            .gauge, "turnout_notifications_queued", "Notifications that listeners have not received yet.",
            [Value(status.waitingNotifications)])
        add(
            .counter, "turnout_notifications_lost_total", "Notifications dropped because a listener was stuck.",
            [Value(status.lostNotifications)])
    }

    private mutating func addDatafile(_ status: DatafileStatus) {
        if let revision = status.revision, let origin = status.origin {
            add(
                .gauge, "turnout_datafile_info", "The revision and origin of the datafile in use; the value is 1.",
                [Value(1, Label("revision", revision), Label("origin", origin.rawValue))])
        }
        add(
            .gauge, "turnout_datafile_age_seconds", "Time since the datafile in use was known to be the newest.",
            status.age.map { [Value($0 / .seconds(1))] } ?? [])
        add(
            .gauge, "turnout_datafile_stale", "Whether the datafile is older than the configured maximum age.",
            [Value(status.isStale)])
        add(
            .gauge, "turnout_datafile_last_check_timestamp_seconds",
            "When the source last returned or confirmed a datafile.",
            status.checkTime.map { [Value(Double($0) / 1_000)] } ?? [])
        add(
            .gauge, "turnout_datafile_last_change_timestamp_seconds",
            "When the datafile in use replaced another one.",
            status.changeTime.map { [Value(Double($0) / 1_000)] } ?? [])
        let requests = status.requests
        add(
            .counter, "turnout_datafile_requests_total", "Requests for a newer datafile, by outcome.",
            [("changed", requests.changed), ("unchanged", requests.unchanged), ("failed", requests.failed)].map {
                Value($1, Label("outcome", $0))
            })
        guard let stream = status.stream else { return }
        add(.gauge, "turnout_datafile_stream_open", "Whether the stream of changes is open.", [Value(stream.isOpen)])
        add(
            .counter, "turnout_datafile_stream_openings_total", "How often the stream of changes was opened.",
            [Value(stream.openings)])
        add(
            .counter, "turnout_datafile_stream_changes_total", "Changes that the stream announced.",
            [Value(stream.changes)])
    }

    private mutating func addEvents(_ queues: [(name: String, status: EventStatus)]) {
        func values(_ count: (EventStatus) -> Int) -> [Value] {
            queues.map { Value(count($0.status), Label("queue", $0.name)) }
        }
        add(.gauge, "turnout_events_queued", "Events that wait for delivery.", values { $0.waiting })
        add(.counter, "turnout_events_delivered_total", "Events that were delivered.", values { $0.delivered })
        add(
            .counter, "turnout_event_requests_failed_total", "Requests with events that failed or were refused.",
            values { $0.failedRequests })
        add(
            .counter, "turnout_events_lost_total", "Events that were given up, by reason.",
            queues.flatMap { queue in
                EventLosses.Reason.allCases.map {
                    Value(queue.status.lost[$0], Label("queue", queue.name), Label("reason", $0.metricLabel))
                }
            })
    }

    /// Adds the counts of decisions.
    mutating func add(_ counts: DecisionCounts) {
        let sorted = counts.total.sorted {
            ($0.key.flag, $0.key.variation ?? "") < ($1.key.flag, $1.key.variation ?? "")
        }
        add(
            .counter, "turnout_decisions_total", "Decisions by flag and variation; without a variation it is empty.",
            sorted.map { Value($0.value, Label("flag", $0.key.flag), Label("variation", $0.key.variation ?? "")) })
    }
}

extension RawRepresentable<String> {
    /// The name as a label's value: `not_stored`.
    fileprivate var metricLabel: String { String(rawValue.map { $0 == " " ? "_" : $0 }) }
}

/// Counts decisions by flag and variation, without threads waiting for each other.
final class DecisionCounts: Sendable {
    /// The properties that decisions of one count share.
    struct Key: Hashable, Sendable {
        let flag: String
        /// The variation's key, or nil for a decision without one.
        let variation: String?
    }

    private let counts = Sharded(capacity: 1) { _ in [Key: Int]() }

    /// Counts a decision. Unknown flags are not counted: their keys may come from end users, in any number.
    func add(_ decision: Decision) {
        guard decision.flag != nil else { return }
        let key = Key(flag: decision.flagKey, variation: decision.variationKey)
        // By thread rather than by flag: all threads may decide the same one.
        counts.withLock(of: CallingThread.fingerprint) { $0[key, default: 0] += 1 }
    }

    var total: [Key: Int] {
        counts.shards.reduce(into: [:]) { total, shard in total.merge(shard.state.withLock { $0 }, uniquingKeysWith: +)
        }
    }
}
