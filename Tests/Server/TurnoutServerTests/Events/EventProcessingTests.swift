import ServerTestSupport
import TestSupport
import Testing
import TurnoutClient
import TurnoutServer

/// From the log to processed events.
@Suite struct EventProcessingTests {
    private let log = MemoryEventLog()
    private let store = MemoryProcessedEvents()

    private func processing(
        projects: @escaping @Sendable () -> Set<String>? = { nil }, time: Int64 = EventBodies.time
    ) -> EventProcessing {
        EventProcessing(log, into: store, projects: projects, wallClock: .fixed(time), messages: .silent)
    }

    private func append(_ body: [UInt8]) async throws {
        try await log.append(body, receivedAt: EventBodies.time)
    }

    private func conversion(_ number: Int, project: String = "12001") -> [UInt8] {
        EventBodies.body(
            EventBodies.visitor("u\(number)", EventBodies.conversion(uuid: EventBodies.uuid(number))), project: project)
    }

    @Test func eventsAreProcessedOnce() async throws {
        for number in [1, 2, 1, 3, 2] { try await append(EventBodies.ten(number)) }
        let processing = processing()
        try processing.processAll()
        #expect(store.exposures.count == 27)
        #expect(store.conversions.count == 3)
        #expect(processing.counts.duplicates == 20)
        #expect(log.offset(of: EventProcessing.reader) == log.status.end)
        #expect(log.status.size == 0)
    }

    @Test func malformedPartsAreCounted() async throws {
        try await append(Array("{\"visitors\":[{}]}".utf8))
        try await append(Array("{]}".utf8))
        try await append(conversion(1))
        let processing = processing()
        try processing.processAll()
        #expect(store.rejected == [.noVisitorID, .syntax])
        #expect(processing.counts.rejected == 2)
        #expect(store.conversions.count == 1)
    }

    @Test func unknownProjectsWaitInQuarantine() async throws {
        let known = Locked<Set<String>>(["12001"])
        try await append(conversion(1))
        try await append(conversion(2, project: "999"))
        let processing = processing(projects: { known.withLock { $0 } })
        try processing.processAll()
        #expect(store.conversions.map(\.visitorID) == ["u1"])
        #expect(processing.counts.quarantined == 1)
        known.withLock { _ = $0.insert("999") }
        try processing.processAll()
        #expect(store.conversions.map(\.visitorID) == ["u1", "u2"])
        #expect(store.quarantined { _ in true }.isEmpty)
    }

    @Test func aClockThatJumpsBackHidesNoEvents() async throws {
        try await log.append(conversion(1), receivedAt: EventBodies.time)
        try await log.append(conversion(2), receivedAt: EventBodies.time - 400 * 86_400_000)
        let processing = processing()
        try processing.processAll()
        #expect(store.conversions.count == 2)
        #expect(processing.counts.duplicates == 0)
    }

    @Test func oldEventsAreDeleted() async throws {
        try await append(conversion(1))
        try processing().processAll()
        let days: Int64 = 86_400_000
        #expect(try processing(time: EventBodies.time + 399 * days).expireNow() == 0)
        #expect(try processing(time: EventBodies.time + 401 * days).expireNow() == 1)
        #expect(store.conversions.isEmpty)
    }

    @Test func aFailingStoreIsTriedAgain() async throws {
        try await append(conversion(1))
        let failing = FailingStore(store, failures: 2)
        let clock = ManualClock()
        let processing = EventProcessing(
            log, into: failing, clock: clock, wallClock: .fixed(EventBodies.time), random: .seeded(1), messages: .silent
        )
        let task = Task { await processing.run() }
        try await wait("the conversion") {
            clock.advance(by: .seconds(1))
            return !store.conversions.isEmpty
        }
        task.cancel()
        #expect(failing.attempts >= 3)
    }
}

/// Throws in its first calls.
private final class FailingStore: ProcessedEvents {
    private struct Failure: Error {}
    private let store: MemoryProcessedEvents
    private let left: Locked<Int>
    private let count = Locked(0)

    init(_ store: MemoryProcessedEvents, failures: Int) {
        self.store = store
        left = Locked(failures)
    }

    var attempts: Int { count.withLock { $0 } }

    func offset() -> Int64 { store.offset() }

    func write(_ page: ProcessedPage) throws -> ProcessedCounts {
        count.withLock { $0 += 1 }
        let fails = left.withLock { left in
            left -= 1
            return left >= 0
        }
        if fails { throw Failure() }
        return store.write(page)
    }

    func outcomes(_ selection: RuleOutcomes, _ body: (RuleOutcome) -> Void) { store.outcomes(selection, body) }
    func quarantined(_ isWanted: (String) -> Bool) -> [EventLogRecord] { store.quarantined(isWanted) }
    func expire(_ retention: EventRetention, now: Int64) -> Int { store.expire(retention, now: now) }
    func totals(of visitors: [String], in selection: ConversionSelection) -> ConversionTotals {
        store.totals(of: visitors, in: selection)
    }
    func knows(_ visitors: [String], in projects: Set<String>) -> Bool { store.knows(visitors, in: projects) }
    func forget(_ users: [String]) -> Int { store.forget(users) }
    func prepare(for selections: [ConversionSelection]) {}
}
