import TurnoutClient

/// Counts what the data platform does.
final class SegmentCounters: Sendable {
    /// The numbers since the start.
    struct Counts: Sendable {
        var queries: [Outcome: Int] = [:]
        var events = 0
        /// Of these, events without a user or a device, which are not stored.
        var unidentifiedEvents = 0
        /// Requests with events that were refused.
        var refusedEvents = 0
        /// Devices for which there was no room.
        var refusedDevices = 0
        var changes = 0
        /// The contents of the store, as of the last maintenance or change.
        var stored = SegmentCounts()
    }

    /// The outcome of a query.
    enum Outcome: String, Sendable, CaseIterable {
        case answered, unknown, invalid, refused, failed
    }

    private let counts = Locked(Counts())

    func add(_ body: (inout Counts) -> Void) { counts.withLock { body(&$0) } }

    /// The contents of the store, as of the last maintenance or change.
    var stored: SegmentCounts { counts.withLock { $0.stored } }

    func count(_ outcome: Outcome) { add { $0.queries[outcome, default: 0] += 1 } }

    func snapshot(defined: Int) -> MetricsSnapshot {
        let counts = counts.withLock { $0 }
        var snapshot = MetricsSnapshot()
        snapshot.add(
            .counter, "turnout_segment_queries_total", "Requests for a user's segments, by outcome.",
            Outcome.allCases.map { .init(counts.queries[$0] ?? 0, .init("outcome", $0.rawValue)) })
        snapshot.add(
            .counter, "turnout_segment_events_total", "Events of the data platform.",
            [
                .init(counts.events - counts.unidentifiedEvents, .init("outcome", "accepted")),
                .init(counts.unidentifiedEvents, .init("outcome", "unidentified")),
            ])
        snapshot.add(
            .counter, "turnout_segment_event_requests_refused_total",
            "Requests with events of the data platform that were refused.", [.init(counts.refusedEvents)])
        snapshot.add(
            .counter, "turnout_segment_devices_refused_total", "Devices for which there was no room.",
            [.init(counts.refusedDevices)])
        snapshot.add(.counter, "turnout_segment_changes_total", "Changes of lists of users.", [.init(counts.changes)])
        snapshot.add(.gauge, "turnout_segments_defined", "Segments that projects define.", [.init(defined)])
        snapshot.add(.gauge, "turnout_segment_lists", "Lists of users.", [.init(counts.stored.lists)])
        snapshot.add(.gauge, "turnout_segment_users", "Users in lists.", [.init(counts.stored.members)])
        snapshot.add(
            .gauge, "turnout_segment_devices", "Devices that belong to a user.", [.init(counts.stored.devices)])
        return snapshot
    }
}
