import TurnoutClient

/// Processed events in memory, for servers without a folder and for tests.
package final class MemoryProcessedEvents: ProcessedEvents {
    package struct Event: Sendable, Equatable {
        package var projectID: String
        /// A number that stands for the visitor.
        package var visitor: Int64
        package var visitorID: String
        /// The experiment of an exposure, or the key of a conversion.
        package var name: String
        /// The variation of an exposure.
        package var variation: String?
        package var timestamp: Int64
        package var receivedAt: Int64
        /// The revenue of a conversion.
        package var revenue: Int64?
        /// The value of a conversion.
        package var value: Double?
    }

    private struct Key: Hashable {
        let day: Int64
        let key: Int64
    }

    private struct State {
        var offset: Int64 = 0
        var keys: Set<Key> = []
        var exposures: [Event] = []
        var conversions: [Event] = []
        var rejected: [RejectedPart.Reason] = []
        var quarantine: [(project: String, record: EventLogRecord)] = []

        mutating func limit(to count: Int) {
            // In steps, because each one moves the rest.
            if exposures.count > count + count / 4 { exposures.removeFirst(exposures.count - count) }
            if conversions.count > count + count / 4 { conversions.removeFirst(conversions.count - count) }
            if rejected.count > count + count / 4 { rejected.removeFirst(rejected.count - count) }
            if quarantine.count > count + count / 4 { quarantine.removeFirst(quarantine.count - count) }
            if keys.count > 10 * count { keys.removeAll() }
        }
    }

    private let maximumCount: Int
    private let state = Locked(State())

    /// Creates an empty store.
    ///
    /// - Parameter maximumCount: The maximum number of events of each kind, of rejected parts and of bodies in
    ///   quarantine; the oldest are dropped first. Duplicates are found among some ten times as many. Default: 100,000.
    package init(maximumCount: Int = 100_000) { self.maximumCount = maximumCount }

    /// The exposures in the order of processing.
    package var exposures: [Event] { state.withLock { $0.exposures } }
    /// The conversions in the order of processing.
    package var conversions: [Event] { state.withLock { $0.conversions } }
    /// The reasons of rejected parts.
    package var rejected: [RejectedPart.Reason] { state.withLock { $0.rejected } }

    package func offset() -> Int64 { state.withLock { $0.offset } }

    package func write(_ page: ProcessedPage) -> ProcessedCounts {
        state.withLock { state in
            var counts = ProcessedCounts()
            for rows in page.rows { Self.write(rows, &state, &counts) }
            state.quarantine.removeAll { page.released.contains($0.record.offset) }
            for rows in page.unknown {
                let record = EventLogRecord(offset: rows.offset, receivedAt: rows.receivedAt, body: rows.body)
                state.quarantine.append((rows.string(rows.projectID) ?? "", record))
                counts.quarantined += 1
            }
            state.offset = page.next
            state.limit(to: maximumCount)
            return counts
        }
    }

    private static func write(_ rows: EventRows, _ state: inout State, _ counts: inout ProcessedCounts) {
        for row in rows.exposures {
            guard state.keys.insert(Key(day: row.event.day, key: row.key)).inserted else {
                counts.duplicates += 1
                continue
            }
            counts.exposures += 1
            state.exposures.append(
                Event(
                    projectID: rows.string(rows.projectID) ?? "", visitor: row.visitor,
                    visitorID: rows.string(row.visitorID) ?? "", name: rows.string(row.arm.experiment) ?? "",
                    variation: rows.string(row.arm.variation), timestamp: row.event.timestamp,
                    receivedAt: rows.receivedAt))
        }
        for row in rows.conversions {
            guard state.keys.insert(Key(day: row.event.day, key: row.key)).inserted else {
                counts.duplicates += 1
                continue
            }
            counts.conversions += 1
            state.conversions.append(
                Event(
                    projectID: rows.string(rows.projectID) ?? "", visitor: row.visitor,
                    visitorID: rows.string(row.visitorID) ?? "", name: rows.string(row.event.eventKey) ?? "",
                    timestamp: row.event.timestamp, receivedAt: rows.receivedAt, revenue: row.revenue,
                    value: row.value))
        }
        counts.rejected += rows.rejected.count
        state.rejected += rows.rejected.map(\.reason)
    }

    package func quarantined(_ isWanted: (String) -> Bool) -> [EventLogRecord] {
        let all = state.withLock { $0.quarantine }
        return all.filter { isWanted($0.project) }.map(\.record)
    }

    package func forget(_ users: [String]) -> Int {
        let (users, erasure) = (Set(users.map(ByteKey.init)), EventErasure(of: users))
        return state.withLock { state in
            let before = state.exposures.count + state.conversions.count
            state.exposures.removeAll { users.contains(ByteKey($0.visitorID)) }
            state.conversions.removeAll { users.contains(ByteKey($0.visitorID)) }
            state.rejected = []
            state.quarantine = state.quarantine.compactMap { entry in
                guard let record = entry.record.erased(by: erasure) else { return nil }
                return (entry.project, record)
            }
            return before - state.exposures.count - state.conversions.count
        }
    }

    package func outcomes(_ selection: RuleOutcomes, _ body: (RuleOutcome) -> Void) {
        let (exposures, conversions) = state.withLock { ($0.exposures, $0.conversions) }
        func isWanted(_ event: Event, _ name: String) -> Bool {
            event.projectID == selection.projectID && event.name == name && event.timestamp >= selection.start
        }
        var found: [(event: Event, outcome: RuleOutcome)] = []
        for event in exposures where isWanted(event, selection.ruleID) {
            guard let id = event.variation else { continue }
            found.append((event, RuleOutcome(visitor: event.visitor, .exposure(variationID: id))))
        }
        for event in conversions where isWanted(event, selection.eventKey) {
            let kind = RuleOutcome.Kind.conversion(revenue: event.revenue, value: event.value)
            found.append((event, RuleOutcome(visitor: event.visitor, kind)))
        }
        // Sorting is stable: exposures come before conversions of the same time.
        found.sort { ($0.event.visitor, $0.event.timestamp) < ($1.event.visitor, $1.event.timestamp) }
        for (_, outcome) in found { body(outcome) }
    }

    package func totals(of visitors: [String], in selection: ConversionSelection) -> ConversionTotals {
        let visitors = Set(visitors.map(ByteKey.init))
        return state.withLock { state in
            var totals = ConversionTotals()
            for event in state.conversions
            where event.name == selection.eventKey && event.projectID == selection.projectID
                && event.timestamp >= selection.start && visitors.contains(ByteKey(event.visitorID))
            {
                totals.add(1, revenue: event.revenue ?? 0)
            }
            return totals
        }
    }

    package func knows(_ visitors: [String], in projects: Set<String>) -> Bool {
        let visitors = Set(visitors.map(ByteKey.init))
        let isTheirs: (Event) -> Bool = { event in
            projects.contains(event.projectID) && visitors.contains(ByteKey(event.visitorID))
        }
        return state.withLock { $0.conversions.contains(where: isTheirs) || $0.exposures.contains(where: isTheirs) }
    }

    package func prepare(for selections: [ConversionSelection]) {}

    package func expire(_ retention: EventRetention, now: Int64) -> Int {
        state.withLock { state in
            let limit = now - Int64(retention.days) * 86_400_000
            let before = state.exposures.count + state.conversions.count
            state.exposures.removeAll { $0.receivedAt < limit }
            state.conversions.removeAll { $0.receivedAt < limit }
            let oldest = (now - Int64(retention.duplicateDays) * 86_400_000) / 86_400_000
            state.keys = state.keys.filter { $0.day == 0 || $0.day >= oldest }
            state.rejected = state.rejected.suffix(retention.maximumRejected)
            let aside = now - Int64(min(retention.asideDays, retention.days)) * 86_400_000
            state.quarantine.removeAll { $0.record.receivedAt < aside }
            return before - state.exposures.count - state.conversions.count
        }
    }
}
