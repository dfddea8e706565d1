import ServerTestSupport
import TestSupport
import TurnoutServer

/// `POST /v1/events`.
@Suite struct EventIntakeTests {
    private let head = RequestHead("POST", "/v1/events")

    private func respond(_ log: SegmentLog, _ body: [UInt8]) async -> ServerResponse {
        await RouteTable(EventIntake(log, wallClock: .fixed(EventBodies.time)).routes)
            .respond(to: ServerRequest(head, body: body)).response
    }

    @Test func bodiesAreAcknowledgedWith204WhenTheyAreInTheLog() async throws {
        let log = ServerStorage.temporary().log
        let body = EventBodies.ten(1)
        let response = await respond(log, body)
        #expect(response.status == 204)
        let records = try log.read(from: 0, size: 1).records
        #expect(records == [EventLogRecord(offset: 0, receivedAt: EventBodies.time, body: body)])
    }

    @Test(arguments: ["{}", " {\"visitors\":[{}]}\r\n", "{\"a\":}", "\u{FEFF}{}", "{\"visitors\":7}"])
    func contentIsNotJudged(_ text: String) async {
        #expect(await respond(ServerStorage.temporary().log, Array(text.utf8)).status == 204)
    }

    @Test(arguments: ["", "[]", "hello", "\"{}\"", "{}x"]) func bodiesThatAreNoObjectAreRefused(_ text: String) async {
        #expect(await respond(ServerStorage.temporary().log, Array(text.utf8)).status == 400)
    }

    @Test func bodiesThatCannotBeReadAreCounted() async {
        let refused = RefusedBodies()
        let intake = RouteTable(EventIntake(ServerStorage.temporary().log, refused: refused).routes)
        let coding = BodyCoding(decompressor: NoDecompressor(), refused: refused)
        let unclosed = ServerRequest(head, body: Array("{\"visitors\":[".utf8))
        #expect(await intake.respond(to: unclosed).response.status == 400)
        #expect(refused[.malformedEvents] == 1)
        for (encoding, status, reason) in [
            ("br", 415, RefusedBodies.Reason.unknownEncoding), ("gzip", 400, .invalidCompression),
            ("deflate", 413, .tooLargeExpanded),
        ] {
            var request = unclosed
            request.head.headers["Content-Encoding"] = encoding
            #expect(coding.expand(&request, limit: .events)?.status == status)
            #expect(refused[reason] == 1)
        }
    }

    /// Fails, in another way for each compression.
    private struct NoDecompressor: Decompressor {
        func decompress(
            _ bytes: [UInt8], _ encoding: ContentEncoding, limit: Int
        ) throws(DecompressionError) -> [UInt8] { throw encoding == .gzip ? .invalid : .tooLarge }
    }

    @Test func aFullLogClosesTheConnection() async throws {
        let log = ServerStorage.temporary(maximumLogSize: 10).log
        let response = await respond(log, EventBodies.ten(1))
        guard case .closed = response.body else {
            Issue.record("answered with \(response.status)")
            return
        }
        #expect(log.status.refused == 1)
    }

    @Test func bodiesAreLimitedAsByTheVendor() {
        let table = RouteTable(EventIntake(ServerStorage.temporary().log).routes)
        #expect(table.bodyLimit(for: head).size == 3_500_000)
    }

    @Test func ownEventsAreAppendedInOneBodyForEachGroup() async throws {
        let log = ServerStorage.temporary().log
        let sink = LogEventSink(log, wallClock: .fixed(EventBodies.time))
        let group = OutgoingEvent.Group(region: .us, envelope: #"{"project_id":"12001","visitors":["#)
        let other = OutgoingEvent.Group(region: .us, envelope: #"{"project_id":"2","visitors":["#)
        let visitor = Array(EventBodies.visitor("ada", EventBodies.conversion(uuid: EventBodies.uuid(1))).utf8)
        let events = [group, group, other].map { OutgoingEvent(group: $0, visitor: visitor) }
        let outcomes = await sink.acceptDurably(events)
        #expect(outcomes.count == 3)
        sink.accept(events[0])
        await sink.flush()
        let bodies = try log.read(from: 0, size: 1 << 20).records.map(\.body)
        #expect(bodies.map { EventBatchParser().rows(of: EventBodies.record($0)).conversions.count } == [2, 1, 1])
        #expect(sink.losses.total == 0)
        #expect(!sink.waits)
    }

    @Test func lostOwnEventsAreCounted() async {
        let sink = LogEventSink(ServerStorage.temporary(maximumLogSize: 1).log, wallClock: .fixed(EventBodies.time))
        let group = OutgoingEvent.Group(region: .us, envelope: "{\"visitors\":[")
        sink.accept(OutgoingEvent(group: group, visitor: Array("{}".utf8)))
        _ = await sink.acceptDurably([OutgoingEvent(group: group, visitor: Array("{}".utf8))])
        #expect(sink.losses[.noRoom] == 2)
    }
}
