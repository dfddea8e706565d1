package import TurnoutClient

extension MetricsSnapshot {
    /// Adds the metrics of the log of received events.
    package mutating func add(_ log: EventLogStatus) {
        add(.counter, "turnout_event_requests_total", "Accepted requests with events.", [.init(log.appended)])
        add(
            .counter, "turnout_event_requests_refused_total",
            "Requests with events that were refused: no room, or the disk failed.", [.init(log.refused)])
        add(.counter, "turnout_event_log_commits_total", "Commits of the log of events.", [.init(log.commits)])
        add(.gauge, "turnout_event_log_bytes", "The size of the log of events.", [.init(Int(log.size))])
        add(
            .gauge, "turnout_event_log_maximum_bytes", "Unread bytes beyond which events are refused.",
            [.init(Int(log.maximumSize))])
        add(
            .counter, "turnout_event_log_damaged_bytes_total", "Bytes of the log that are damaged and were skipped.",
            [.init(log.damagedBytes)])
    }

    /// Adds what each reader of the log has not read.
    ///
    /// - Parameters:
    ///   - log: The log.
    ///   - now: Milliseconds since 1970.
    package mutating func add(readersOf log: SegmentLog, now: Int64) {
        // Processing has no offset before the first event.
        let readers = log.readers.merging([EventProcessing.reader: 0]) { known, _ in known }
        let unread = readers.sorted { $0.key < $1.key }.map { name, offset in
            (label: Label("reader", EventReader(name).description), unread: log.unread(from: offset))
        }
        add(
            .gauge, "turnout_event_log_unread_bytes", "Bytes of the log of events that a reader has not read.",
            unread.map { .init(Int($0.unread.bytes), $0.label) })
        add(
            .gauge, "turnout_event_log_unread_age_seconds",
            "Time since the oldest request that a reader of the log has not read was received; 0 without one.",
            unread.compactMap { label, unread in
                if unread.bytes == 0 { return .init(0, label) }
                return unread.since.map { .init(Double(max(0, now - $0)) / 1_000, label) }
            })
    }

    /// Adds the metrics of processing.
    package mutating func add(_ counts: ProcessedCounts) {
        add(
            .counter, "turnout_events_processed_total", "Processed events, by kind.",
            [
                .init(counts.exposures, .init("kind", "exposure")),
                .init(counts.conversions, .init("kind", "conversion")),
            ])
        add(.counter, "turnout_events_duplicate_total", "Events that were known already.", [.init(counts.duplicates)])
        add(
            .counter, "turnout_exposures_repeated_total",
            "Exposures that were not stored, because their visitor had the variation on that day already.",
            [.init(counts.repeated)])
        add(
            .counter, "turnout_events_rejected_total", "Parts of requests that cannot be processed.",
            [.init(counts.rejected)])
        add(
            .counter, "turnout_event_requests_quarantined_total", "Requests with events of unknown projects.",
            [.init(counts.quarantined)])
        add(
            .counter, "turnout_events_corrected_total",
            "Events with an implausible time, which the time of receipt "
                + "replaces.", [.init(counts.corrected)])
    }

    /// Adds the stored exposures by flag and variation.
    package mutating func add(_ exposures: ExposureCounts) {
        add(
            .counter, "turnout_flag_exposures_total",
            "Stored exposures by project, flag and variation; without a variation it is empty.",
            exposures.counts.sorted { $0.key < $1.key }.map { arm, count in
                .init(
                    count, .init("project", arm.project), .init("flag", arm.flag), .init("variation", arm.variation))
            })
        add(
            .counter, "turnout_flag_exposures_others_total",
            "Stored exposures of variations beyond the first \(FlagUsage.metricLimit), or that no datafile has.",
            [.init(exposures.others)])
    }

    /// Adds the metrics of writing to an engine.
    mutating func add(_ writing: EngineWriting) {
        let counts = writing.counts
        add(
            .counter, "turnout_engine_events_total", "Events written to the engine, by outcome.",
            [
                .init(counts.written, .init("outcome", "written")),
                .init(counts.rejected, .init("outcome", "rejected")),
            ])
        add(
            .counter, "turnout_engine_failures_total", "Attempts to write to the engine that failed and are repeated.",
            [.init(writing.failures)])
    }

    /// Adds the metrics of forwarding.
    package mutating func add(_ counts: EventForwarding.Counts) {
        add(
            .counter, "turnout_event_requests_forwarded_total", "Requests with events to another intake, by outcome.",
            [
                .init(counts.delivered, .init("outcome", "delivered")),
                .init(counts.refused, .init("outcome", "refused")),
                .init(counts.failed, .init("outcome", "failed")),
            ])
    }
}
