import Foundation
import ServerTestSupport
import TestSupport
import TurnoutServer

/// From the log to processed events.
@Suite(.blocking) struct EventProcessingTests {
    private let storage = ServerStorage.temporary()
    private var log: SegmentLog { storage.log }

    private func processing(
        projects: @escaping @Sendable () -> Set<String>? = { nil }, time: Int64 = EventBodies.time
    ) -> EventProcessing {
        EventProcessing(log, into: storage.events, projects: projects, wallClock: .fixed(time), messages: .silent)
    }

    private func visitors(_ kind: ExportedEvent.Kind = .conversion) throws -> [String] {
        try storage.texts("visitor_id", of: kind)
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
        #expect(try visitors(.exposure).count == 27)
        #expect(try visitors().count == 3)
        #expect(processing.counts.duplicates == 20)
        #expect(log.offset(of: EventProcessing.reader) == log.status.end)
        #expect(log.status.unreadSize == 0)
    }

    @Test func malformedPartsAreCounted() async throws {
        try await append(Array("{\"visitors\":[{}]}".utf8))
        try await append(Array("{]}".utf8))
        try await append(conversion(1))
        let processing = processing()
        try processing.processAll()
        #expect(processing.counts.rejected == 2)
        #expect(try visitors().count == 1)
    }

    @Test func unknownProjectsWaitInQuarantine() async throws {
        let known = Locked<Set<String>>(["12001"])
        try await append(conversion(1))
        try await append(conversion(2, project: "999"))
        let processing = processing(projects: { known.withLock { $0 } })
        try processing.processAll()
        #expect(try visitors() == ["u1"])
        #expect(processing.counts.quarantined == 1)
        known.withLock { _ = $0.insert("999") }
        try processing.processAll()
        #expect(try visitors() == ["u1", "u2"])
        #expect(try storage.events.quarantined { _ in true }.isEmpty)
    }

    @Test func aClockThatJumpsBackHidesNoEvents() async throws {
        try await log.append(conversion(1), receivedAt: EventBodies.time)
        try await log.append(conversion(2), receivedAt: EventBodies.time - 400 * 86_400_000)
        let processing = processing()
        try processing.processAll()
        #expect(try visitors().count == 2)
        #expect(processing.counts.duplicates == 0)
    }

    @Test func oldEventsAreDeleted() async throws {
        try await append(conversion(1))
        try processing().processAll()
        let days: Int64 = 86_400_000
        #expect(try processing(time: EventBodies.time + 399 * days).expireNow() == 0)
        #expect(try processing(time: EventBodies.time + 401 * days).expireNow() == 1)
        #expect(try visitors().isEmpty)
    }

    @Test func aFailingStoreIsTriedAgain() async throws {
        try await append(conversion(1))
        // A folder takes the file's place.
        let file = storage.directory + "/events.sqlite"
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        let clock = ManualClock()
        let processing = EventProcessing(
            log, into: storage.events, clock: clock, wallClock: .fixed(EventBodies.time), random: .seeded(1),
            messages: .silent)
        let task = Task { await processing.run() }
        try await wait("the problem") { processing.problem != nil }
        try FileManager.default.removeItem(atPath: file)
        try await wait("the conversion") {
            clock.advance(by: .seconds(1))
            return processing.counts.conversions == 1
        }
        task.cancel()
        #expect(try visitors() == ["u1"])
    }
}
