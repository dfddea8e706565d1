import Foundation
import ServerTestSupport
import TestSupport
import TurnoutServer

/// Users are forgotten in files.
@Suite(.blocking) struct ForgettingTests {
    private let directory = TemporaryDirectory()
    private var logFolder: String { directory.path + "/log" }
    private var database: EventDatabase { EventDatabase(directory: directory.path, log: directory.log) }

    private func open(_ change: (inout EventLogOptions) -> Void = { _ in }) -> SegmentLog {
        var options = EventLogOptions()
        options.segmentSize = 5_000
        change(&options)
        return SegmentLog(directory: logFolder, options, log: directory.log)
    }

    private static func visitor(_ id: String, _ number: Int) -> String {
        let snapshot =
            EventBodies.exposure(uuid: EventBodies.uuid(number)) + ","
            + EventBodies.conversion(uuid: EventBodies.uuid(number + 10_000))
        return EventBodies.visitor(id, snapshot).replacing(
            "\"value\":\"US\"", with: "\"value\":\"\(id == "grace" ? "US" : "of-\(id)")\"")
    }

    private func append(_ ids: String..., number: Int, project: String = "12001", to log: SegmentLog) async throws {
        let visitors = ids.map { Self.visitor($0, number * 100 + $0.utf8.count) }.joined(separator: ",")
        try await log.append(EventBodies.body(visitors, project: project), receivedAt: EventBodies.time)
    }

    private func process(_ log: SegmentLog, into database: EventDatabase) throws {
        try EventProcessing(
            log, into: database, projects: { ["12001"] }, wallClock: .fixed(EventBodies.time), messages: .silent
        ).processAll()
    }

    private func visitors() throws -> [String] {
        var visitors: [String] = []
        try EventExport(directory: directory.path).forEach(.init()) { event in
            if case .text(let id?) = event.values[5] { visitors.append(id) } else { visitors.append("none") }
        }
        return visitors.sorted()
    }

    /// The files that contain a text.
    private func files(with text: String) throws -> [String] {
        let manager = FileManager.default
        let names = try manager.subpathsOfDirectory(atPath: directory.path)
        return try names.filter { name in
            var isFolder: ObjCBool = false
            let path = directory.path + "/" + name
            guard manager.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { return false }
            return try Data(contentsOf: URL(filePath: path)).range(of: Data(text.utf8)) != nil
        }
    }

    private func records(_ log: SegmentLog) throws -> [EventLogRecord] {
        var (page, records): (EventLogPage, [EventLogRecord]) = (EventLogPage(next: 0), [])
        while page.next < log.status.end {
            page = try log.read(from: page.next, size: 1 << 20)
            #expect(page.damagedBytes == 0)
            records += page.records
        }
        return records
    }

    private func segments() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: logFolder).filter { $0.hasPrefix("events-") }.sorted()
    }

    @Test func noFileContainsTheUserAnyMore() async throws {
        let (log, database) = (open(), database)
        for number in 0..<20 { try await append("ada-lovelace", "grace", number: number, to: log) }
        try await append("ada-lovelace", "grace", number: 21, project: "unknown", to: log)
        try await append("ada-lovelace", number: 22, project: "unknown", to: log)
        try await log.append(Array("{\"visitors\":[{\"name\":\"ada-lovelace\"}]}".utf8), receivedAt: 0)
        try await log.append(Array("{\"visitors\":[{\"visitor_id\":\"ada-lovelace\"}".utf8), receivedAt: 0)
        try process(log, into: database)
        let segments = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try segments.change("vip", .add(["ada-lovelace", "grace"]))
        _ = try segments.link([DeviceLink(device: "vuid_1", user: "ada-lovelace")], at: 1)
        #expect(try files(with: "ada-lovelace").count > 4)
        #expect(try segments.forget(["ada-lovelace", "vuid_1"]))
        #expect(try files(with: "vuid_1").isEmpty)
        #expect(try log.erase(EventErasure(of: ["ada-lovelace"])) == 23)
        #expect(try database.forget(["ada-lovelace"]) == 40)
        #expect(try visitors() == Array(repeating: "grace", count: 40))
        // The body whose visitor has no id does not say whose it is. It is in the log until its age ends.
        let left = try files(with: "ada-lovelace")
        #expect(left.allSatisfy { $0.hasPrefix("log/") } && left.count == 1)
        // Nor are the attributes that only this user had.
        #expect(try files(with: "of-ada-lovelace").isEmpty)
        #expect(try database.quarantined { _ in true }.count == 1)
        #expect(try database.forget(["ada-lovelace"]) == 0)
        await log.close()
    }

    @Test func readersContinueWhereTheyWere() async throws {
        var log = open()
        for number in 0..<30 { try await append(number % 2 == 0 ? "ada" : "grace", number: number, to: log) }
        let all = try records(log)
        var page = try log.read(from: 0, size: 8_000)
        try log.acknowledge(page.next, by: "reader")
        #expect(try log.erase(EventErasure(of: ["ada"])) == 15)
        await log.close()
        log = open()
        var offsets: [Int64] = []
        page = EventLogPage(next: log.offset(of: "reader"))
        let start = page.next
        while page.next < log.status.end {
            page = try log.read(from: page.next, size: 3_000)
            #expect(page.damagedBytes == 0)
            offsets += page.records.map(\.offset)
        }
        let expected = all.enumerated().filter { $0.offset % 2 == 1 && $0.element.offset >= start }
        #expect(offsets == expected.map(\.element.offset))
        // The whole log may be empty.
        #expect(try log.erase(EventErasure(of: ["grace"])) == 15)
        #expect(try log.read(from: 0, size: 1_000).records.isEmpty)
        #expect(try log.read(from: 0, size: 1_000).next == log.status.end)
        await log.close()
        log = open()
        #expect(log.status.damagedBytes == 0)
        try await append("joan", number: 99, to: log)
        #expect(try log.read(from: 0, size: 1_000).records.count == 1)
        await log.close()
    }

    @Test func anInterruptedCallIsFinishedByTheNextOne() async throws {
        var log = open()
        for number in 0..<30 { try await append("ada", "grace", number: number, to: log) }
        // The disk fails at the third segment.
        let obstacle = logFolder + "/" + (try segments()[2]) + ".new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        #expect(throws: EventLogError.self) { try log.erase(EventErasure(of: ["ada"])) }
        try FileManager.default.removeItem(atPath: obstacle)
        // The process ends, and leaves an unfinished copy.
        await log.close()
        try Data(repeating: 1, count: 500).write(to: URL(filePath: obstacle))
        log = open()
        #expect(try !segments().contains { $0.hasSuffix(".new") })
        let left = try log.erase(EventErasure(of: ["ada"]))
        #expect((1..<30).contains(left))
        #expect(try files(with: "\"ada\"").isEmpty)
        #expect(try records(log).count == 30)
        #expect(try log.erase(EventErasure(of: ["ada"])) == 0)
        await log.close()
    }

    @Test func aCopyThatCannotBeWrittenIsRemoved() async throws {
        let log = open()
        for number in 0..<30 { try await append("ada", "grace", number: number, to: log) }
        // A device that is always full.
        let copy = logFolder + "/" + (try segments()[1]) + ".new"
        try FileManager.default.createSymbolicLink(atPath: copy, withDestinationPath: "/dev/full")
        #expect(throws: EventLogError.self) { try log.erase(EventErasure(of: ["ada"])) }
        #expect(try !segments().contains { $0.hasSuffix(".new") })
        #expect(try records(log).count == 30)
        #expect(try log.erase(EventErasure(of: ["ada"])) > 0)
        await log.close()
    }

    @Test func theProblemOfAFullDiskStaysInTheStatus() async throws {
        let log = open()
        while log.status.end < 5_000 { try await append("ada", number: 1, to: log) }
        let digits = String(log.status.end, radix: 16)
        let obstacle = logFolder + "/events-" + String(repeating: "0", count: 16 - digits.count) + digits + ".log"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        await #expect(throws: EventLogError.self) { try await append("ada", number: 2, to: log) }
        let problem = try #require(log.status.problem)
        #expect(try log.erase(EventErasure(of: ["grace"])) == 0)
        #expect(log.status.problem == problem)
        await log.close()
    }

    @Test func aClosedLogStaysClosed() async throws {
        let log = open()
        try await append("ada", number: 1, to: log)
        await log.close()
        #expect(throws: EventLogError.closed) { try log.erase(EventErasure(of: ["ada"])) }
        let other = open()
        #expect(other.status.problem == nil)
        await other.close()
    }

    @Test func twoUsersAtOnceAreForgotten() async throws {
        let (log, database) = (open(), database)
        for number in 0..<20 { try await append("ada", "joan", "grace", number: number, to: log) }
        try process(log, into: database)
        try await concurrently(["ada", "joan"]) { user in _ = try database.forget([user]) }
        #expect(try visitors() == Array(repeating: "grace", count: 40))
        #expect(try database.forget(["ada", "joan"]) == 0)
        await log.close()
    }

    @Test func forwardingPassesWhatIsErased() async throws {
        let log = open()
        for number in 0..<20 { try await append("ada", number: number, to: log) }
        for number in 20..<22 { try await append("grace", number: number, to: log) }
        #expect(try log.erase(EventErasure(of: ["ada"])) == 20)
        try await append("grace", number: 30, to: log)
        // As another process does it.
        let transport = MemoryTransport()
        let reader = try SegmentLogReader(directory: logFolder)
        let forwarding = EventForwarding(reader, to: "https://h.example", over: transport, messages: .silent)
        while try await forwarding.forwardNext() {}
        let bodies = transport.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        #expect(bodies.ranges(of: "\"grace\"").count == 3)
        #expect(!bodies.contains("\"ada\""))
        await log.close()
    }

    @Test func aLogThatCannotBeOpenedIsNotTakenForAnEmptyOne() throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        // A file is in the way.
        try Data().write(to: URL(filePath: logFolder))
        let log = open()
        #expect(throws: EventLogError.self) { try log.erase(EventErasure(of: ["ada"])) }
    }

    @Test func segmentsKeepTheirAge() async throws {
        let log = open()
        for number in 0..<20 { try await append("ada", "grace", number: number, to: log) }
        let path = logFolder + "/" + (try #require(try segments().first))
        let time = Date(timeIntervalSince1970: 1_768_478_400)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        #expect(try log.erase(EventErasure(of: ["ada"])) == 20)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.modificationDate] as? Date == time)
        await log.close()
    }

    @Test func bodiesArriveMeanwhile() async throws {
        let log = open { $0.survives = .processDeath }
        for number in 0..<200 { try await append("ada", "grace", number: number, to: log) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<100 {
                        try? await self.append("joan", number: 1_000 + task * 100 + number, to: log)
                    }
                }
            }
            for _ in 0..<3 { group.addTask { _ = try? log.erase(EventErasure(of: ["ada"])) } }
        }
        let bodies = try records(log).map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.count { $0.contains("joan") } == 400)
        #expect(bodies.count { $0.contains("grace") } == 200)
        #expect(!bodies.contains { $0.contains("\"ada\"") })
        await log.close()
    }
}
