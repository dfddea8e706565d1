import Foundation
import ServerTestSupport
import TestSupport
import TurnoutServer

/// The log of received events in files.
@Suite(.blocking) struct SegmentLogTests {
    private let directory = TemporaryDirectory()

    private func open(_ change: (inout EventLogOptions) -> Void = { _ in }, log: (any Log)? = nil) -> SegmentLog {
        var options = EventLogOptions()
        options.survives = .processDeath
        change(&options)
        return SegmentLog(directory: directory.path, options, log: log ?? directory.log)
    }

    private func body(_ number: Int, size: Int = 100) -> [UInt8] {
        Array("\(number) ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: size)
    }

    private func bodies(_ log: any EventLogReading, from offset: Int64 = 0) throws -> [[UInt8]] {
        var (bodies, offset): ([[UInt8]], Int64) = ([], offset)
        while true {
            let page = try log.read(from: offset, size: 1_000)
            bodies += page.records.map(\.body)
            if page.next == offset { return bodies }
            offset = page.next
        }
    }

    private func segments() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".log") }.sorted()
    }

    @Test func aReaderAheadOfTheLogLeavesNothingUnread() async throws {
        let log = open()
        try await log.append(body(1), receivedAt: 1)
        // As after the loss of the end of the log.
        try log.acknowledge(log.end + 1_000, by: "reader")
        #expect(log.status.unreadSize == 0)
        await log.close()
    }

    /// A reader in another process, which runs on.
    @Test func aReaderFindsTheEndOfALogThatReplacedAnotherOne() async throws {
        for count in [1, 5] {
            let log = open()
            for number in 0..<count { try await log.append(body(number), receivedAt: 1) }
            let reader = try SegmentLogReader(directory: directory.path)
            #expect(reader.end == log.end)
            await log.close()
            try FileManager.default.removeItem(at: directory.url)
            #expect(reader.end == 0)
            let other = open()
            try await other.append(body(0), receivedAt: 1)
            #expect(reader.end == other.end && reader.start == 0)
            await other.close()
            try FileManager.default.removeItem(at: directory.url)
        }
    }

    @Test func bodiesSurviveARestart() async throws {
        var log = open { $0.segmentSize = 1_000 }
        for number in 0..<50 { try await log.append(body(number), receivedAt: Int64(number)) }
        try log.acknowledge(try log.read(from: 0, size: 1).next, by: "reader")
        let offset = log.offset(of: "reader")
        await log.close()
        log = open { $0.segmentSize = 1_000 }
        #expect(try bodies(log) == (0..<50).map { body($0) })
        #expect(log.offset(of: "reader") == offset)
        #expect(try segments().count > 3)
        try await log.append(body(50), receivedAt: 50)
        #expect(try bodies(log).count == 51)
        await log.close()
    }

    /// Closes a log of some bodies, changes its file, which has them at the given offsets, and opens it again.
    private func damaged(
        _ count: Int, _ change: (inout Data, [Int]) -> Void
    ) async throws -> (log: SegmentLog, messages: MemoryLog) {
        let log = open()
        for number in 0..<count { try await log.append(body(number), receivedAt: 0) }
        let offsets = try log.read(from: 0, size: 1 << 20).records.map { Int($0.offset) }
        await log.close()
        let path = directory.path + "/events-0000000000000000.log"
        var content = try Data(contentsOf: URL(filePath: path))
        change(&content, offsets)
        try content.write(to: URL(filePath: path))
        let messages = MemoryLog()
        return (open(log: messages), messages)
    }

    @Test(arguments: [1, 20, 23, 24, 25, 100])
    func anIncompleteRecordAtTheEndIsRemoved(cut: Int) async throws {
        let (log, messages) = try await damaged(5) { content, _ in content.removeLast(cut) }
        #expect(try bodies(log) == (0..<4).map { body($0) })
        #expect(messages.entries.contains { $0.message.contains("were removed") })
        try await log.append(body(9), receivedAt: 0)
        #expect(try bodies(log).last == body(9))
        await log.close()
    }

    /// After a power failure a file may have its new size, but zeros instead of its content.
    @Test func zerosAtTheEndAreRemoved() async throws {
        let (log, _) = try await damaged(5) { content, _ in content += Data(count: 10_000) }
        #expect(try bodies(log).count == 5)
        #expect(log.status.damagedBytes == 0)
        await log.close()
    }

    @Test(arguments: [0, 5, 10, 20, 30, 60]) func recordsAfterDamageAreRead(byte: Int) async throws {
        let (log, messages) = try await damaged(9) { content, offsets in content[offsets[4] + byte] ^= 0x55 }
        #expect(try bodies(log) == [0, 1, 2, 3, 5, 6, 7, 8].map { body($0) })
        #expect(log.status.damagedBytes == 126)
        #expect(messages.entries.contains { $0.message.contains("damaged") })
        await log.close()
    }

    @Test(.timeLimit(.minutes(1))) func aFlushEndsWhileBodiesArrive() async throws {
        let log = open { $0.survives = .processDeath }
        let isStopped = Locked(false)
        // Each body is followed by another one before the writer looks for the next.
        @Sendable func append() {
            log.append([1], receivedAt: 0) { _ in if !isStopped.withLock({ $0 }) { append() } }
        }
        append()
        await log.flush()
        #expect(log.status.appended > 0)
        isStopped.withLock { $0 = true }
        await log.close()
    }

    @Test func aMissingSegmentIsSkipped() async throws {
        var log = open { $0.segmentSize = 1_000 }
        for number in 0..<30 { try await log.append(body(number), receivedAt: 0) }
        await log.close()
        let all = try segments()
        try FileManager.default.removeItem(atPath: directory.path + "/" + all[1])
        log = open { $0.segmentSize = 1_000 }
        let left = try bodies(log)
        #expect(left.first == body(0))
        #expect(left.last == body(29))
        #expect(left.count < 30)
        await log.close()
    }

    @Test(arguments: ["deleted", "moved", "replaced"])
    func bodiesForAFolderThatIsGoneAreRefused(_ what: String) async throws {
        let (log, files) = (open(), FileManager.default)
        try await log.append(body(1), receivedAt: 0)
        switch what {
        case "deleted": try files.removeItem(atPath: directory.path)
        case "moved": try files.moveItem(atPath: directory.path, toPath: directory.path + "-moved")
        default:
            try files.copyItem(atPath: directory.path, toPath: directory.path + "-moved")
            try files.removeItem(atPath: directory.path)
            try files.moveItem(atPath: directory.path + "-moved", toPath: directory.path)
        }
        defer { try? files.removeItem(atPath: directory.path + "-moved") }
        // The status says so before a body arrives.
        log.maintain(now: 0)
        #expect(log.status.problem?.contains("was deleted, moved or replaced") == true)
        await #expect(throws: EventLogError.self) { try await log.append(body(2), receivedAt: 0) }
        log.maintain(now: 0)
        #expect(log.status.problem != nil)
        await log.close()
    }

    @Test func aProblemThatIsOverIsNoticedWithoutABody() async throws {
        let other = open()
        try await other.append(body(1), receivedAt: 0)
        let log = open()
        #expect(log.status.problem?.contains("in use by another process") == true)
        await other.close()
        log.maintain(now: 0)
        #expect(log.status.problem == nil)
        await log.close()
    }

    @Test func segmentsThatAllReadersHaveReadAreRemoved() async throws {
        let log = open { ($0.segmentSize, $0.keptSize) = (1_000, 3_000) }
        for number in 0..<20 { try await log.append(body(number, size: 500), receivedAt: 0) }
        try log.acknowledge(log.status.end, by: "one")
        let readByOne = try segments().count
        #expect((2...5).contains(readByOne))
        #expect(log.status.unreadSize == 0)
        try log.acknowledge(0, by: "two")
        for number in 0..<20 { try await log.append(body(number, size: 500), receivedAt: 0) }
        try log.acknowledge(log.status.end, by: "one")
        #expect(try segments().count > readByOne + 5)
        // A program beside the server reads, too.
        let reader = try SegmentLogReader(directory: directory.path)
        #expect(try bodies(reader).last == body(19, size: 500))
        try reader.acknowledge(reader.end, by: "two")
        try log.acknowledge(0, by: "one")
        try log.acknowledge(log.status.end, by: "one")
        #expect(try segments().count == readByOne)
        await log.close()
    }

    // MARK: Age

    private static let day: Int64 = 86_400_000

    @Test func segmentsAreDeletedByTheirAge() async throws {
        let log = open { $0.maximumAge = 10 * Self.day }
        for number in 0..<30 {
            let now = Int64(number) * Self.day
            log.maintain(now: now)
            try await log.append(body(number), receivedAt: now)
            try log.acknowledge(log.status.end, by: "reader")
        }
        log.maintain(now: 30 * Self.day)
        var (kept, offset): ([Int64], Int64) = ([], 0)
        while offset < log.status.end {
            let page = try log.read(from: offset, size: 1 << 20)
            (kept, offset) = (kept + page.records.map(\.receivedAt), page.next)
        }
        // A day more than the age, because a segment has the requests of a day.
        #expect(try #require(kept.first) >= 18 * Self.day && kept.contains(20 * Self.day), "\(kept)")
        #expect(kept.last == 29 * Self.day)
        await log.close()
    }

    @Test func whatAnIdleServerReceivedIsDeletedToo() async throws {
        let messages = MemoryLog()
        var log = open({ $0.maximumAge = 10 * Self.day }, log: messages)
        let now = SystemWallClock().millisecondsSince1970()
        try await log.append(body(1), receivedAt: now)
        log.maintain(now: now + 2 * Self.day)
        log.maintain(now: now + 3 * Self.day)
        #expect(try segments().count == 2)
        #expect(try bodies(log) == [body(1)])
        // Also after a restart, and although nothing was read.
        await log.close()
        log = open({ $0.maximumAge = 10 * Self.day }, log: messages)
        log.maintain(now: now + 11 * Self.day)
        #expect(try bodies(log).isEmpty)
        #expect(log.status.size == 0 && log.status.unreadSize == 0)
        #expect(messages.entries.contains { $0.message.contains("126 bytes of the log were deleted because") })
        try await log.append(body(2), receivedAt: now)
        #expect(try bodies(log) == [body(2)])
        #expect(log.status.damagedBytes == 0)
        await log.close()
    }

    @Test func aCommandDeletesOldSegments() async throws {
        let now = SystemWallClock().millisecondsSince1970()
        var log = open { $0.segmentSize = 1_000 }
        for number in 0..<30 { try await log.append(body(number), receivedAt: now) }
        try log.acknowledge(log.status.end, by: "reader")
        let reader = try SegmentLogReader(directory: directory.path)
        #expect(reader.expire(before: now - Self.day) == 0)
        #expect(reader.expire(before: now + Self.day) > 3_000)
        // The server appends to the last segment and continues.
        #expect(try segments().count == 1)
        log.maintain(now: now)
        try await log.append(body(99), receivedAt: now)
        #expect(try bodies(log).last == body(99))
        await log.close()
        #expect(reader.expire(before: now + Self.day) > 0)
        log = open()
        #expect(try bodies(log).isEmpty)
        #expect(log.status.damagedBytes == 0)
        await log.close()
    }

    @Test func aReaderBesideTheServerFindsWhatIsAppended() async throws {
        let log = open { $0.segmentSize = 5_000 }
        try await log.append(body(0), receivedAt: 0)
        let reader = try SegmentLogReader(directory: directory.path)
        for number in 1..<100 {
            #expect(reader.end == log.status.end)
            try await log.append(body(number), receivedAt: 0)
        }
        #expect(try bodies(reader).count == 100)
        await log.close()
    }

    @Test func anotherProcessMayNotAppend() async throws {
        let log = open()
        let messages = MemoryLog()
        let second = open(log: messages)
        await #expect(throws: EventLogError.self) { try await second.append(body(1), receivedAt: 0) }
        #expect(second.status.problem?.contains("in use by another process") == true)
        #expect(messages.entries.map(\.level) == [.error])
        await log.close()
        try await second.append(body(2), receivedAt: 0)
        #expect(second.status.problem == nil)
        #expect(messages.entries.map(\.level) == [.error, .info])
        await second.close()
    }

    @Test func anUnusableFolderIsReportedAndTriedAgain() async throws {
        // A file is in the way.
        try Data().write(to: directory.url)
        let log = open()
        await #expect(throws: EventLogError.self) { try await log.append(body(1), receivedAt: 0) }
        #expect(log.status.refused == 1)
        #expect(log.status.problem?.contains(directory.path) == true)
        try FileManager.default.removeItem(at: directory.url)
        try await log.append(body(2), receivedAt: 0)
        #expect(try bodies(log) == [body(2)])
        await log.close()
    }

    @Test func concurrentBodiesShareCommits() async throws {
        let log = open { $0.survives = .powerLoss }
        await concurrently(0..<2_000) { number in _ = try? await log.append(self.body(number), receivedAt: 0) }
        #expect(log.status.appended == 2_000)
        #expect(log.status.commits < 1_500)
        await log.close()
    }
}
