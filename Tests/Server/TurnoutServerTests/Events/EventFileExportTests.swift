import Foundation
import ServerTestSupport
import TestSupport
import TurnoutServer

/// Received events on their way to files.
@Suite(.blocking) struct EventFileExportTests {
    private static let day: Int64 = 86_400_000
    private let directory = TemporaryDirectory()
    private let log: SegmentLog

    init() throws {
        var options = EventLogOptions()
        (options.survives, options.segmentSize, options.keptSize) = (.processDeath, 20_000, 0)
        log = SegmentLog(directory: directory.path + "/log", options, log: directory.log)
        try log.acknowledge(0, by: "processing")
    }

    private func folder(_ name: String = "files") -> String { "\(directory.path)/\(name)" }

    private func export(
        _ log: (any EventLogReading)? = nil, to name: String = "files", partSize: Int = 32 << 20,
        clock: any Clock<Duration> = .continuous, messages: any Log = .silent
    ) -> EventFileExport {
        EventFileExport(log ?? self.log, to: folder(name), partSize: partSize, clock: clock, messages: messages)
    }

    /// Writes everything, and returns the files.
    @discardableResult
    private func files(
        _ log: (any EventLogReading)? = nil, to name: String = "files", partSize: Int = 32 << 20
    ) throws -> [String: [UInt8]] {
        let export = export(log, to: name, partSize: partSize)
        while try export.writeNext() {}
        return try found(in: name)
    }

    private func found(in name: String) throws -> [String: [UInt8]] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder(name)).filter { $0.contains("/20") }
        return try paths.filter { $0.contains(".") }.reduce(into: [:]) { files, path in
            files[path] = try Array(Data(contentsOf: URL(filePath: folder(name) + "/" + path)))
        }
    }

    private func lines(_ files: [String: [UInt8]]) throws -> [String] {
        try files.sorted { $0.key < $1.key }.flatMap { _, content in
            let bytes = try Zlib().decompress(content, .gzip, limit: 1 << 28)
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private func values(_ files: [String: [UInt8]]) throws -> [JSONValue] {
        try lines(files).map { try JSONValue(parsing: $0) }
    }

    private func append(_ visitors: String, receivedAt time: Int64 = EventBodies.time) async throws {
        try await log.append(EventBodies.body(visitors), receivedAt: time)
    }

    /// Requests of two days, one of which is late, one is no JSON, and one is there twice.
    private func fill() async throws {
        for number in 0..<6 {
            let time = EventBodies.time + (number % 2 == 0 ? 0 : Self.day)
            try await log.append(EventBodies.ten(number, timestamp: time), receivedAt: EventBodies.time + Self.day)
        }
        try await log.append(Array("{\"visitors\":[}".utf8), receivedAt: EventBodies.time)
        try await log.append(EventBodies.ten(2), receivedAt: EventBodies.time)
    }

    // MARK: Lines and files

    @Test func linesHaveAllColumns() async throws {
        let snapshots = EventBodies.exposure(uuid: "E") + "," + EventBodies.conversion(uuid: "C")
        try await append(EventBodies.visitor("ada", snapshots))
        let rows = EventBatchParser().rows(of: try log.read(from: 0, size: 1).records[0])
        let (exposure, conversion) = (rows.exposures[0], rows.conversions[0])
        let time = "2026-01-15T12:00:00.000Z"
        func common(_ uuid: String) -> String {
            #""attributes":{"country":"US","orders":12,"premium":true},"uuid":"\#(uuid)","project_id":"12001","#
                + #""revision":"42","client_name":"python-sdk","client_version":"5.7.0","received":"\#(time)","#
                + #""time_corrected":false,"dedup_key":"20468-"#
        }
        let files = try files()
        let name = "00000000000000000000.ndjson.gz"
        #expect(files.keys.sorted() == ["conversions/2026-01-15/\(name)", "exposures/2026-01-15/\(name)"])
        #expect(
            try lines(files) == [
                #"{"user_id":"ada","timestamp":"\#(time)","event_key":"purchase","revenue":4250,"value":42.5,"#
                    + #""tags":{"revenue":4250,"sku":"a-1"},\#(common("C"))\#(conversion.key)","log_position":1}"#,
                #"{"user_id":"ada","timestamp":"\#(time)","experiment_id":"4101","variation_id":"41012","#
                    + #""flag_key":"checkout_redesign","rule_key":"checkout_test","rule_type":"feature-test","#
                    + #""variation_key":"two_step",\#(common("E"))\#(exposure.key)","log_position":0}"#,
            ])
    }

    @Test func eventsAreFiledByTheirDay() async throws {
        let times = [EventBodies.time - Self.day, EventBodies.time, EventBodies.time - 40 * Self.day]
        for (index, time) in times.enumerated() {
            try await append(EventBodies.visitor("ada", EventBodies.exposure(uuid: "\(index)", timestamp: time)))
        }
        let files = try files()
        #expect(files.keys.map { $0.dropFirst(10).prefix(10) }.sorted() == ["2026-01-14", "2026-01-15"])
        // The last one was too old to be true.
        let corrected = try values(files).filter { $0["time_corrected"] == .bool(true) }
        #expect(corrected.map { $0["uuid"] } == [.string("2")])
        #expect(corrected[0]["timestamp"] == corrected[0]["received"])
    }

    @Test func copiesHaveTheSameKey() async throws {
        for variation in ["41011", "41012"] {
            let exposure = EventBodies.exposure(uuid: "E", variation: variation)
            try await append(EventBodies.visitor("ada", exposure))
            try await append(EventBodies.visitor("ada", EventBodies.conversion(uuid: variation)))
        }
        let keys = try values(files()).map { $0["dedup_key"] }
        #expect(keys.count == 4 && keys[0] != keys[1] && keys[2] == keys[3])
    }

    /// What clients send cannot break a line, a path or a reader of files.
    @Test(arguments: [
        #"a\nb"#, #"\u0000"#, #"\"},{\""#, "../../../etc/passwd", "\u{2028}", "👩‍👧", #"\u00e9"#, "é",
        String(repeating: "x", count: 1_024),
    ]) func hostileIDsStayValues(id: String) async throws {
        let exposure = EventBodies.exposure(uuid: id, variation: id)
        try await append(EventBodies.visitor(id, exposure))
        let files = try files()
        #expect(files.keys.map { $0.prefix(21) } == ["exposures/2026-01-15/"])
        let expected = try JSONValue(parsing: "\"\(id)\"")
        let line = try #require(try values(files).first)
        #expect(["user_id", "uuid", "variation_id"].allSatisfy { line[$0] == expected })
    }

    @Test(arguments: [
        ("[\n{\"key\":\"a\",\r\n\"value\":[1,\n2]},{\"key\":\"a\",\"value\":3},7]", "{\"a\":[1,2]}"),
        (#"[{"key":"a","value":"\ud800"}]"#, "{\"a\":\"\u{FFFD}\"}"), (#"[{"key":"a","value":1e400}]"#, "null"),
        (#"{"key":"a"}"#, "null"), ("[\"" + String(repeating: "x", count: 9_000) + "\"]", "null"),
    ]) func hostileAttributesAreLeftOut(attributes: String, expected: String) async throws {
        let snapshot = EventBodies.conversion(uuid: "C")
        try await append(#"{"visitor_id":"ada","attributes":\#(attributes),"snapshots":[\#(snapshot)]}"#)
        let lines = try lines(files())
        #expect(lines.count == 1 && lines[0].contains("\"attributes\":\(expected),"), "\(lines)")
    }

    @Test func invalidTextIsReplaced() async throws {
        let body = EventBodies.body(EventBodies.visitor("a?a", EventBodies.exposure(uuid: "E")))
        try await log.append(body.map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }, receivedAt: EventBodies.time)
        #expect(try values(files()).map { $0["user_id"] } == [.string("a\u{FFFD}a")])
    }

    /// A request that becomes much larger as lines is compressed in pieces.
    @Test func aLargeRequestIsOnePart() async throws {
        try await fill()
        let (whole, pieces) = (try files(to: "whole"), try files(to: "pieces", partSize: 1_000))
        #expect(pieces.count > whole.count)
        #expect(try lines(pieces).sorted() == lines(whole).sorted())
    }

    // MARK: Interruptions

    @Test func theSameLogGivesTheSameBytes() async throws {
        try await fill()
        #expect(try files(to: "one", partSize: 9_000) == files(to: "two", partSize: 9_000))
    }

    /// Whether the process stopped at a record, or was killed when the files had their names: every event is in one
    /// file, and no file changes.
    @Test(arguments: [false, true]) func anExportContinuesAfterEachRecord(isKilled: Bool) async throws {
        try await fill()
        let records = try log.read(from: 0, size: 1 << 20).records
        let expected = try lines(files(to: "whole")).sorted()
        #expect(expected.count == 70)
        for (number, cut) in (records.dropFirst().map(\.offset) + [log.end]).enumerated() {
            let name = "cut-\(number)"
            let cutLog = CutLog(log, end: cut, isKilled: isKilled)
            do { _ = try files(cutLog, to: name) } catch { #expect(isKilled) }
            let first = try found(in: name)
            let offset = log.offset(of: EventReader.files(in: folder(name)).name)
            #expect(!first.isEmpty && offset == (isKilled ? 0 : cut))
            let second = try files(to: name)
            #expect(try lines(second).sorted() == expected)
            #expect(first.allSatisfy { second[$0.key] == $0.value })
        }
    }

    /// After a power failure, the log knows an earlier offset than the one that was acknowledged.
    @Test func anEarlierOffsetRepeatsOnlyTheLastPart() async throws {
        try await fill()
        let before = try files(partSize: 9_000)
        try log.acknowledge(0, by: EventReader.files(in: folder()).name)
        #expect(try files() == before)
        try await append(EventBodies.visitor("ada", EventBodies.exposure(uuid: "E")))
        #expect(try files().count == before.count + 1)
    }

    // MARK: Failures

    @Test func aLogThatEndsBeforeTheOffsetIsAnError() async throws {
        try await fill()
        try files()
        try log.acknowledge(log.end + 1_000, by: EventReader.files(in: folder()).name)
        let error = #expect(throws: EventLogError.self) { try files() }
        #expect(error?.description.contains("the log of events ends at byte \(log.end)") == true)
    }

    @Test func anotherProcessOrAnotherLogIsAnError() async throws {
        try await fill()
        let first = export()
        while try first.writeNext() {}
        #expect(throws: EventLogError.disk("another process writes events to \(folder())")) { try files() }
        #expect(throws: EventLogError.self) { try export().end() }
        try withExtendedLifetime(first) { try log.forget(reader: EventReader.files(in: folder()).name) }
    }

    @Test func anEndedExportNeedsAnEmptyFolder() async throws {
        try await fill()
        #expect(throws: EventLogError.disk("nothing is kept for \(folder())")) { try export().end() }
        try files()
        try export().end()
        #expect(log.readers.count == 1)
        let error = #expect(throws: EventLogError.self) { try files() }
        #expect(error?.description.contains("use an empty folder") == true && log.readers.count == 1)
    }

    @Test func theLogKeepsWhatIsNotInFiles() async throws {
        // Other processes read the name of this reader.
        let name = "a folder  with spaces"
        try files(to: name)
        let reader = EventReader.files(in: folder(name)).name
        #expect(try SegmentLogReader(directory: directory.path + "/log").readers[reader] == 0)
        for _ in 0..<3 { try await fill() }
        try log.acknowledge(log.end, by: "processing")
        #expect(log.start == 0 && log.status.slowestReader == reader)
        try files(to: name)
        #expect(log.start > 0)
    }

    @Test func whatWasDeletedIsReported() async throws {
        try files()
        for _ in 0..<3 { try await fill() }
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: directory.path + "/log").sorted().first {
                $0.hasSuffix(".log")
            })
        try FileManager.default.removeItem(atPath: directory.path + "/log/" + name)
        let reader = try SegmentLogReader(directory: directory.path + "/log")
        let messages = MemoryLog()
        let export = export(reader, messages: messages)
        while try export.writeNext() {}
        #expect(messages.entries[0].message.contains("\(reader.start) bytes of the log are in no file"))
    }

    @Test func followingContinuesAfterAFailure() async throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: folder()))
        try await append(EventBodies.visitor("ada", EventBodies.exposure(uuid: "1")))
        let (clock, messages) = (ManualClock(), MemoryLog())
        let export = export(clock: clock, messages: messages)
        let task = Task { await export.run() }
        try await wait("the failure") {
            clock.advance(by: .seconds(10))
            return messages.entries.count == 1
        }
        #expect(messages.entries[0].message.contains("/files/.lock: Not a directory"))
        try FileManager.default.removeItem(atPath: folder())
        func waitForFiles(_ files: Int) async throws {
            try await wait("\(files) files") {
                clock.advance(by: .seconds(600))
                return export.counts.files == files
            }
        }
        try await waitForFiles(1)
        try await wait("the message") { messages.entries.last?.message == "events: written to files again" }
        try await append(EventBodies.visitor("ada", EventBodies.exposure(uuid: "2")))
        try await waitForFiles(2)
        task.cancel()
        clock.advance(by: .seconds(1_000))
        await task.value
        #expect(try values(found(in: "files")).map { $0["uuid"] } == [.string("1"), .string("2")])
    }
}

/// A log of which only the beginning is known yet, and whose reader may end before its offset is recorded.
private struct CutLog: EventLogReading {
    private let log: SegmentLog
    let end: Int64
    private let isKilled: Bool

    init(_ log: SegmentLog, end: Int64, isKilled: Bool) { (self.log, self.end, self.isKilled) = (log, end, isKilled) }

    var start: Int64 { log.start }
    var readers: [String: Int64] { log.readers }
    func offset(of reader: String) -> Int64 { log.offset(of: reader) }
    func forget(reader: String) throws(EventLogError) { try log.forget(reader: reader) }

    func read(from offset: Int64, size: Int) throws(EventLogError) -> EventLogPage {
        var page = try log.read(from: offset, size: size)
        page.records.removeAll { $0.offset >= end }
        page.next = max(offset, min(page.next, end))
        return page
    }

    func acknowledge(_ offset: Int64, by reader: String) throws(EventLogError) {
        if isKilled, offset > 0 { throw .disk("killed") }
        try log.acknowledge(offset, by: reader)
    }
}
