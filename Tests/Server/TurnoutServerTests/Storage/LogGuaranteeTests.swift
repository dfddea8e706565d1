import ServerTestSupport
import TestSupport
import TurnoutServer

/// What the readers and writers of the log of events rely on.
///
/// A log must guarantee that
/// - bodies are read in the order of their offsets, unchanged, with the time of receipt;
/// - a page starts where the earlier one ended, and contains at least one record if there is one;
/// - each reader has its own offset, and a reader holds back what it has not read;
/// - a full log refuses bodies, and accepts them again when readers have read;
/// - bodies that are appended concurrently are all in the log, once;
/// - users can be erased, and all offsets stay valid;
/// - a closed log refuses bodies.
@Suite(.blocking) struct LogGuaranteeTests {
    private let directory = TemporaryDirectory()

    /// An empty log with a limit of unread bytes.
    private func make(_ maximumSize: Int64) -> SegmentLog {
        var options = EventLogOptions()
        (options.survives, options.maximumSize) = (.processDeath, maximumSize)
        (options.segmentSize, options.keptSize) = (20_000, 0)
        return SegmentLog(directory: directory.path, options, log: directory.log)
    }

    private static func body(_ number: Int, size: Int = 20) -> [UInt8] {
        Array("\(number) ".utf8) + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
    }

    @Test func keepsOrderAndContent() async throws {
        let log = make(1 << 20)
        #expect(try log.read(from: 0, size: 100) == EventLogPage(next: 0))
        var offsets: [Int64] = []
        for number in 0..<20 { offsets.append(try await log.append(Self.body(number), receivedAt: Int64(number))) }
        // An empty body, and one larger than a page.
        offsets.append(try await log.append([], receivedAt: -1))
        offsets.append(try await log.append(Self.body(21, size: 300_000), receivedAt: .max))
        let page = try log.read(from: 0, size: 1 << 20)
        #expect(page.records.map(\.offset) == offsets)
        #expect(page.records[3].body == Self.body(3))
        #expect(page.records[3].receivedAt == 3)
        #expect(page.records[20].body.isEmpty)
        #expect(page.records.last?.body == Self.body(21, size: 300_000))
        #expect(page.next == log.status.end)
        #expect(try log.read(from: page.next, size: 100).records.isEmpty)
        await log.close()
    }

    @Test func pagesAreConsecutive() async throws {
        let log = make(10 << 20)
        for number in 0..<50 { try await log.append(Self.body(number, size: 5_000), receivedAt: 0) }
        var (offset, read): (Int64, [EventLogRecord]) = (0, [])
        while true {
            let page = try log.read(from: offset, size: 1)
            if page.records.isEmpty { break }
            #expect(page.next > offset)
            offset = page.next
            read += page.records
        }
        #expect(read.map(\.body) == (0..<50).map { Self.body($0, size: 5_000) })
        await log.close()
    }

    @Test func readersAreIndependent() async throws {
        let log = make(1 << 20)
        #expect(log.offset(of: "one") == 0)
        for number in 0..<10 { try await log.append(Self.body(number), receivedAt: 0) }
        let page = try log.read(from: 0, size: 1 << 20)
        try log.acknowledge(page.records[5].offset, by: "one")
        try log.acknowledge(page.next, by: "two")
        #expect(log.offset(of: "one") == page.records[5].offset)
        #expect(log.offset(of: "two") == page.next)
        #expect(try log.read(from: log.offset(of: "one"), size: 1 << 20).records.first?.body == Self.body(5))
        try log.forget(reader: "one")
        #expect(log.offset(of: "one") == 0)
        await log.close()
    }

    @Test func refusesWhenFull() async throws {
        let log = make(100_000)
        var accepted = 0
        var refusal: EventLogError?
        for number in 0..<30 where refusal == nil {
            do throws(EventLogError) {
                try await log.append(Self.body(number, size: 10_000), receivedAt: 0)
                accepted += 1
            } catch { refusal = error }
        }
        #expect(refusal == .full)
        #expect((8...10).contains(accepted))
        #expect(log.status.refused == 1)
        #expect(log.status.isNearlyFull)
        try log.acknowledge(log.status.end, by: "reader")
        try await log.append(Self.body(0), receivedAt: 0)
        await log.close()
    }

    @Test func keepsConcurrentBodies() async throws {
        let log = make(10 << 20)
        await concurrently(0..<8) { task in
            for number in 0..<100 {
                _ = try? await log.append(Self.body(task * 1_000 + number), receivedAt: 0)
            }
        }
        var (offset, bodies): (Int64, [[UInt8]]) = (0, [])
        while offset < log.status.end {
            let page = try log.read(from: offset, size: 10 << 20)
            bodies += page.records.map(\.body)
            offset = page.next
        }
        #expect(bodies.count == 800)
        #expect(Set(bodies).count == 800)
        await log.close()
    }

    private static func body(_ number: Int, of users: [String]) -> [UInt8] {
        EventBodies.body(
            users.map { EventBodies.visitor($0, EventBodies.exposure(uuid: EventBodies.uuid(number))) }
                .joined(separator: ","))
    }

    @Test func erasesUsers() async throws {
        let log = make(10 << 20)
        let users = [["ada", "grace"], ["grace"], ["ada"], ["ada"], ["grace", "ada", "joan"], ["ada"]]
        var offsets: [Int64] = []
        for round in 0..<40 {
            let body = Self.body(round, of: users[round % users.count])
            offsets.append(try await log.append(body, receivedAt: Int64(round)))
        }
        try log.acknowledge(0, by: "reader")
        let end = log.status.end
        #expect(try log.erase(EventErasure(of: ["unknown"])) == 0)
        #expect(try log.erase(EventErasure(of: ["ada"])) == 33)
        #expect(try log.erase(EventErasure(of: ["ada"])) == 0)
        #expect(log.status.end == end)
        #expect(try log.read(from: offsets[13], size: 1).records.first?.offset == offsets[13])
        offsets.append(try await log.append(Self.body(40, of: ["ada"]), receivedAt: 40))
        var (offset, records): (Int64, [EventLogRecord]) = (0, [])
        while offset < log.status.end {
            let page = try log.read(from: offset, size: 2_000)
            #expect(page.damagedBytes == 0)
            records += page.records
            offset = page.next
        }
        let kept = (0...40).filter { $0 == 40 || [0, 1, 4].contains($0 % users.count) }
        #expect(records.map(\.offset) == kept.map { offsets[$0] })
        #expect(records.map(\.receivedAt) == kept.map { Int64($0) })
        for record in records.dropLast() {
            let text = String(decoding: record.body, as: UTF8.self)
            #expect(text.contains("grace") && !text.contains("\"ada\""))
        }
        await log.close()
    }

    @Test func refusesWhenClosed() async throws {
        let log = make(1 << 20)
        try await log.append(Self.body(1), receivedAt: 0)
        await log.flush()
        await log.close()
        await #expect(throws: EventLogError.closed) { try await log.append(Self.body(2), receivedAt: 0) }
    }
}
