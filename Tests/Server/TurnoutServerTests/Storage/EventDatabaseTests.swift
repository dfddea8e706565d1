import Foundation
import ServerTestSupport
import TestSupport
import TurnoutSQLite
import TurnoutServer

/// Processed events in a file.
@Suite(.blocking) struct EventDatabaseTests {
    private let directory = TemporaryDirectory()
    private let log = ServerStorage.temporary().log

    private var database: EventDatabase { EventDatabase(directory: directory.path, log: directory.log) }

    private func processing(_ database: EventDatabase, time: Int64 = EventBodies.time) -> EventProcessing {
        EventProcessing(log, into: database, wallClock: .fixed(time), messages: .silent)
    }

    private func append(_ body: [UInt8]) async throws { try await log.append(body, receivedAt: EventBodies.time) }

    /// Appends a conversion with an id.
    private func append(_ uuid: String) async throws {
        try await append(EventBodies.body(EventBodies.visitor("ada", EventBodies.conversion(uuid: uuid))))
    }

    private func exported(_ change: (inout EventExport.Selection) -> Void = { _ in }) throws -> [ExportedEvent] {
        var selection = EventExport.Selection()
        change(&selection)
        var events: [ExportedEvent] = []
        try EventExport(directory: directory.path).forEach(selection) { events.append($0) }
        return events
    }

    private func number(_ sql: String, in database: EventDatabase) throws -> Int64 {
        try database.connection { connection in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            return try statement.step() ? statement.int(0) : -1
        }
    }

    @Test func beforeTheFirstEventThereAreNoOutcomes() throws {
        let selection = RuleOutcomes(projectID: "12001", ruleID: "4101", eventKey: "purchase", start: 0)
        try database.outcomes(selection) { _ in Issue.record("an outcome of nothing") }
    }

    @Test func outcomesAreThoseOfOneVisitorAfterAnother() async throws {
        let database = database
        for number in 0..<40 { try await append(EventBodies.ten(number, timestamp: EventBodies.time - 1_000)) }
        try processing(database).processAll()
        func visitors(project: String = "12001", start: Int64 = 0) throws -> [Int64] {
            let selection = RuleOutcomes(projectID: project, ruleID: "4101", eventKey: "purchase", start: start)
            var found: [Int64] = []
            try database.outcomes(selection) { found.append($0.visitor) }
            return found
        }
        let found = try visitors()
        #expect(found.count == 400)
        #expect(zip(found, found.dropFirst()).count { $0 != $1 } == Set(found).count - 1)
        #expect(try visitors(project: "1").isEmpty)
        #expect(try visitors(start: EventBodies.time).isEmpty)
    }

    @Test func eventsAreStoredWithEverythingTheyHave() async throws {
        let uuid = EventBodies.uuid(1)
        try await append(
            EventBodies.body(
                EventBodies.visitor(
                    "ada, \\\"x\\\"",
                    EventBodies.exposure(uuid: uuid) + "," + EventBodies.conversion(uuid: EventBodies.uuid(2)))))
        let database = database
        try processing(database).processAll()
        let events = try exported()
        #expect(events.count == 2)
        var writer = JSONWriter()
        events[0].write(to: &writer)
        #expect(
            writer.text == """
                {"kind":"exposure","time":"2026-01-15T12:00:00.000Z","timestamp":1768478400000,\
                "received":1768478400000,"project_id":"12001","visitor_id":"ada, \\"x\\"",\
                "uuid":"\(uuid)",\
                "campaign_id":"4100","experiment_id":"4101","variation_id":"41012","flag_key":"checkout_redesign",\
                "rule_key":"checkout_test","rule_type":"feature-test","variation_key":"two_step","enabled":true,\
                "attributes":[{"entity_id":"3001","key":"country","type":"custom","value":"US"},\
                {"entity_id":"3002","key":"orders","type":"custom","value":12},{"entity_id":"3003","key":"premium",\
                "type":"custom","value":true}],"account_id":"10001","revision":"42","client_name":"python-sdk",\
                "client_version":"5.7.0","time_corrected":false}

                """)
        #expect(events[1].csv.hasPrefix("conversion,2026-01-15T12:00:00.000Z,1768478400000,1768478400000,12001,"))
        #expect(events[1].csv.contains("\"ada, \"\"x\"\"\""))
        #expect(events[1].csv.contains(",5001,purchase,4250,42.5,\"{\"\"revenue\"\":4250,\"\"sku\"\":\"\"a-1\"\"}\","))
    }

    @Test func idsOfEventsAreExportedAsTheyWereSent() async throws {
        let ids = [
            "7bbf1481-cf6a-45d0-a01a-48e2db700297", "7BBF1481-CF6A-45D0-A01A-48E2DB700298",
            "7bbf1481-CF6A-45d0-a01a-48e2db700299", "11111111-1111-1111-1111-111111111111",
            "7bbf1481cf6a45d0a01a48e2db700297", "sixteen letters!", "Ü",
        ]
        for id in ids { try await append(id) }
        try processing(database).processAll()
        let place = try #require(ExportedEvent.names.firstIndex(of: "uuid"))
        #expect(try exported().map { $0.values[place] } == ids.map { .text($0) })
        // Another spelling is not another event.
        try await append(ids[0].uppercased())
        try processing(database).processAll()
        #expect(try exported().count == ids.count)
    }

    @Test func aFileOfANewerVersionIsRefused() async throws {
        try await append("1")
        try processing(database).processAll()
        let file = try SQLiteConnection(path: directory.path + "/events.sqlite")
        try file.run("PRAGMA user_version = 9")
        let refusals = [
            #expect(throws: SQLiteError.self) { try exported() },
            #expect(throws: SQLiteError.self) { try processing(database).processAll() },
        ]
        for refusal in refusals {
            #expect(
                refusal?.description == directory.path + "/events.sqlite: written by a newer version (9); this one "
                    + "reads versions up to 3. Use the newer program, or restore a backup")
        }
    }

    @Test func exportsSelectKindsAndTimes() async throws {
        let day: Int64 = 86_400_000
        for number in 0..<5 {
            let time = EventBodies.time - Int64(number) * day
            try await append(EventBodies.ten(number, timestamp: time))
        }
        try processing(database).processAll()
        #expect(try exported().count == 50)
        #expect(try exported { $0.kinds = [.conversion] }.count == 5)
        #expect(try exported { ($0.start, $0.end) = (EventBodies.time - 2 * day, EventBodies.time) }.count == 20)
    }

    @Test func anExportedEventIsALine() {
        var writer = JSONWriter()
        ExportedEvent(values: [.json("{\"a\":\n{\"kind\":\r\n1}}")]).write(to: &writer)
        #expect(writer.text == "{\"kind\":{\"a\": {\"kind\":  1}}}\n")
    }

    @Test func textsThatASpreadsheetWouldComputeAreDefused() {
        let event = ExportedEvent(values: [.text("=1+1"), .text("-1"), .integer(-1), .text("a\nb"), .text("a")])
        #expect(event.csv == "'=1+1,'-1,-1,\"a\nb\",a\r\n")
    }

    @Test func duplicatesAreFoundAcrossRestarts() async throws {
        for number in 0..<20 { try await append(EventBodies.ten(number % 10)) }
        var first = database
        try processing(first).processNext()
        #expect(try number("SELECT count(*) FROM exposures", in: first) == 90)
        for number in 0..<10 { try await append(EventBodies.ten(number)) }
        first = database
        let processing = processing(first)
        try processing.processAll()
        #expect(try number("SELECT count(*) FROM exposures", in: first) == 90)
        #expect(try number("SELECT count(*) FROM conversions", in: first) == 10)
        #expect(processing.counts.duplicates == 100)
    }

    @Test func readingAPartAgainChangesNothing() async throws {
        try log.acknowledge(0, by: "another")
        try await append(EventBodies.ten(1))
        let database = database
        try processing(database).processAll()
        let end = try database.offset()
        // The offset of an earlier page, as after a power failure.
        _ = try database.write(ProcessedPage(next: 0))
        try await append(EventBodies.ten(2))
        try processing(database).processAll()
        #expect(try database.offset() >= end)
        #expect(try number("SELECT count(*) FROM exposures", in: database) == 18)
    }

    @Test func aDamagedFileIsMovedAsideAndRebuilt() async throws {
        let log = SegmentLog(directory: directory.path + "/log", log: directory.log)
        for number in 0..<200 { try await log.append(EventBodies.ten(number), receivedAt: EventBodies.time) }
        let messages = MemoryLog()
        let database = EventDatabase(directory: directory.path, log: messages)
        func processing() -> EventProcessing { EventProcessing(log, into: database, messages: messages) }
        try processing().processAll()
        _ = try number("PRAGMA wal_checkpoint(TRUNCATE)", in: database)
        let path = directory.path + "/events.sqlite"
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        let size = try file.seekToEnd()
        for place in stride(from: UInt64(0), to: size, by: 8_192) {
            try file.seek(toOffset: place)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        }
        try file.close()
        try await log.append(EventBodies.ten(200), receivedAt: EventBodies.time)
        let reopened = EventDatabase(directory: directory.path, log: messages)
        try EventProcessing(log, into: reopened, messages: messages).processAll()
        #expect(try number("SELECT count(*) FROM exposures", in: reopened) == 201 * 9)
        #expect(FileManager.default.fileExists(atPath: path + ".damaged-1"))
        #expect(messages.entries.contains { $0.level == .error && $0.message.contains("damaged-1") })
        await log.close()
    }

    @Test(arguments: ["emptied", "deleted", "replaced"])
    func missingEventsAreReported(how: String) async throws {
        for number in 1...3 { try await append(EventBodies.uuid(number)) }
        let messages = MemoryLog(level: .warning)
        let database = EventDatabase(directory: directory.path, log: messages)
        let processing = EventProcessing(log, into: database, messages: messages)
        try processing.processAll()
        let file = directory.path + "/events.sqlite"
        switch how {
        case "emptied": truncate(file, 0)
        case "deleted": unlink(file)
        default:
            let other = EventDatabase(directory: directory.path + "/other", log: messages)
            #expect(try other.offset() == 0)
            rename(directory.path + "/other/events.sqlite", file)
        }
        try await append(EventBodies.uuid(4))
        try processing.processAll()
        #expect(processing.rebuilds == 1)
        #expect(messages.entries.contains { $0.message.contains("processed events are missing") })
        try processing.processAll()
        #expect(processing.rebuilds == 1)
    }

    @Test func aCopyRestoredAfterAFailureDoesNotGetOlderChanges() throws {
        let (file, copy) = (directory.path + "/events.sqlite", directory.path + "/copy.sqlite")
        let database = database
        _ = try database.write(ProcessedPage(next: 5))
        // Keeps the log when the connection that writes is closed.
        let reader = try SQLiteConnection(path: file)
        try reader.run("VACUUM INTO '\(copy)'")
        _ = try database.write(ProcessedPage(next: 9))
        #expect(throws: SQLiteError.self) { try database.connection { try $0.run("no statement") } }
        rename(copy, file)
        #expect(try database.offset() == 5)
        #expect(reader.hasMoved)
    }

    @Test func theSizeIsUnknownWithoutAFile() throws {
        // An unknown size is not that of an emptied file, which would be set aside.
        #expect(try SQLiteConnection(path: nil).fileSize == nil)
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let file = directory.path + "/empty.sqlite"
        try Data().write(to: URL(filePath: file))
        #expect(try SQLiteConnection(path: file).fileSize == 0)
    }

    @Test func partsThatAreSetAsideAreNotKeptLongerThanEvents() async throws {
        try await append(Array("{\"visitors\":[7]}".utf8))
        let database = database
        try processing(database).processAll()
        var retention = EventRetention()
        retention.days = 7
        let days: Int64 = 86_400_000
        _ = try database.expire(retention, now: EventBodies.time + 6 * days)
        #expect(try number("SELECT count(*) FROM rejected", in: database) == 1)
        _ = try database.expire(retention, now: EventBodies.time + 8 * days)
        #expect(try number("SELECT count(*) FROM rejected", in: database) == 0)
    }

    @Test func oldRowsAreDeleted() async throws {
        try await append(EventBodies.ten(1))
        try await append(EventBodies.ten(2, timestamp: 1))
        try await append(Array("{\"visitors\":[7]}".utf8))
        let database = database
        try processing(database).processAll()
        let tables = { (name: String) in
            try number("SELECT count(*) FROM sqlite_master WHERE name GLOB '\(name)'", in: database)
        }
        #expect(try tables("seen_*") == 2)
        let days: Int64 = 86_400_000
        #expect(try processing(database, time: EventBodies.time + 100 * days).expireNow() == 0)
        #expect(try tables("seen_*") == 1)
        #expect(try number("SELECT count(*) FROM seen_0", in: database) == 0)
        #expect(try number("SELECT count(*) FROM rejected", in: database) == 0)
        #expect(try number("SELECT count(*) FROM visitors", in: database) > 0)
        #expect(try processing(database, time: EventBodies.time + 500 * days).expireNow() == 20)
        for table in ["exposures", "conversions", "visitors", "attributes"] {
            #expect(try number("SELECT count(*) FROM \(table)", in: database) == 0)
        }
        // Events of the same day are new again.
        try await append(EventBodies.ten(1))
        try processing(database).processAll()
        #expect(try number("SELECT count(*) FROM exposures", in: database) == 9)
    }

    @Test func aFullDatabaseLeavesEventsInTheLog() async throws {
        let small = EventDatabase(directory: directory.path, maximumSize: 1, log: directory.log)
        for number in 0..<2_000 { try await append(EventBodies.ten(number)) }
        let processing = processing(small)
        #expect(throws: SQLiteError.self) { try processing.processAll() }
        #expect(log.offset(of: EventProcessing.reader) < log.status.end)
        try self.processing(database).processAll()
        #expect(try number("SELECT count(*) FROM exposures", in: database) == 18_000)
    }
}
