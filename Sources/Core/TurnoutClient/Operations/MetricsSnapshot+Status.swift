extension MetricsSnapshot {
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
