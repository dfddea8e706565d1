/// The rules of the HTML standard for `text/event-stream`, in pieces of any size.
@Suite struct EventStreamParserTests {
    typealias Event = EventStreamParser.Event

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let events: [Event]
        var id = ""
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "data", text: "data: a\n\n", events: [Event(name: "message", data: "a")]),
        Row(name: "several lines", text: "data: a\ndata: b\n\n", events: [Event(name: "message", data: "a\nb")]),
        Row(name: "a name", text: "event: change\ndata: 1\n\n", events: [Event(name: "change", data: "1")]),
        Row(
            name: "a name is for one event", text: "event: x\ndata: 1\n\ndata: 2\n\n",
            events: [Event(name: "x", data: "1"), Event(name: "message", data: "2")]),
        Row(name: "no data", text: "event: change\n\ndata: 1\n\n", events: [Event(name: "message", data: "1")]),
        Row(
            name: "empty data", text: "data\n\ndata:\ndata\n\n",
            events: [Event(name: "message", data: ""), Event(name: "message", data: "\n")]),
        Row(name: "one space is removed", text: "data:  a \n\n", events: [Event(name: "message", data: " a ")]),
        Row(name: "no space", text: "data:a:b\n\n", events: [Event(name: "message", data: "a:b")]),
        Row(name: "returns", text: "data: a\rdata: b\r\r", events: [Event(name: "message", data: "a\nb")]),
        Row(name: "both", text: "data: a\r\ndata: b\r\n\r\n", events: [Event(name: "message", data: "a\nb")]),
        Row(
            name: "mixed", text: "data: a\n\rdata: b\r\n\n",
            events: [Event(name: "message", data: "a"), Event(name: "message", data: "b")]),
        Row(name: "a mark at the start", text: "\u{FEFF}data: a\n\n", events: [Event(name: "message", data: "a")]),
        Row(name: "a mark later", text: "data: a\n\u{FEFF}data: b\n\n", events: [Event(name: "message", data: "a")]),
        Row(name: "comments", text: ": hello\n:\n\ndata: a\n:x\n\n", events: [Event(name: "message", data: "a")]),
        Row(
            name: "unknown fields", text: "Data: x\nfoo: y\n data: z\ndata: a\n\n",
            events: [Event(name: "message", data: "a")]),
        Row(name: "incomplete", text: "data: a\n\ndata: b\n", events: [Event(name: "message", data: "a")]),
        Row(name: "an id", text: "id: 7\ndata: a\n\n", events: [Event(name: "message", data: "a")], id: "7"),
        Row(name: "an id without data", text: "id: 7\n\n", events: [], id: "7"),
        Row(name: "an id stays", text: "id: 7\n\ndata: a\n\n", events: [Event(name: "message", data: "a")], id: "7"),
        Row(name: "an id is reset", text: "id: 7\n\nid\n\n", events: [], id: ""),
        Row(name: "an id with a zero", text: "id: 7\n\nid: 8\u{0}\n\n", events: [], id: "7"),
        Row(name: "an id without an end", text: "id: 7\n", events: [], id: ""),
    ]

    @Test(arguments: rows) func eventsAreFoundWhereverPiecesEnd(_ row: Row) throws {
        let bytes = Array(row.text.utf8)
        for size in 1...max(1, bytes.count) {
            var parser = EventStreamParser()
            var events: [Event] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += try parser.read(bytes[start...].prefix(size))
            }
            #expect(events == row.events, "pieces of \(size)")
            #expect(parser.lastEventID == row.id, "pieces of \(size)")
        }
    }

    @Test(
        arguments: [
            ("retry: 1500\n", Duration.milliseconds(1_500)), ("retry: 1.5\n", nil), ("retry: -1\n", nil),
            ("retry:\n", nil), ("retry: 99999999999999999999\n", nil), ("retry: 5\nretry: x\n", .milliseconds(5)),
        ] as [(String, Duration?)])
    func pausesAreWholeMilliseconds(text: String, pause: Duration?) throws {
        var parser = EventStreamParser()
        _ = try parser.read(text.utf8)
        #expect(parser.retry == pause)
    }

    @Test func invalidTextIsReplaced() throws {
        var parser = EventStreamParser()
        let events = try parser.read(Array("data: a".utf8) + [0xFF, 0xC3] + Array("\n\n".utf8))
        #expect(events == [Event(name: "message", data: "a\u{FFFD}\u{FFFD}")])
    }

    @Test func longLinesAndEventsAreRefused() throws {
        var lines = EventStreamParser(maximumLineSize: 10)
        #expect(try lines.read("data: 6789\n\n".utf8).count == 1)
        #expect(throws: EventStreamParser.Problem.self) { try lines.read("data: 67890".utf8) }
        // Comments, too: they are kept until their end.
        var comments = EventStreamParser(maximumLineSize: 10)
        #expect(throws: EventStreamParser.Problem.self) { try comments.read(":2345678901".utf8) }
        var events = EventStreamParser(maximumDataSize: 10)
        #expect(try events.read("data: 123456789\n\n".utf8).count == 1)
        #expect(throws: EventStreamParser.Problem.self) { try events.read("data: 1234\ndata: 1234\ndata: 1\n\n".utf8) }
        // Empty lines of data count as well.
        #expect(throws: EventStreamParser.Problem.self) { try events.read(String(repeating: "data\n", count: 20).utf8) }
    }

    @Test func randomBytesAreRead() throws {
        var random = SplitMix(state: 17)
        for _ in 0..<rounds(200, thorough: 5_000) {
            var parser = EventStreamParser(maximumLineSize: 64, maximumDataSize: 128)
            let alphabet = Array("data:id:event:retry: \n\r\n\r01\u{FEFF}".utf8) + [0, 0xFF, 0xC3]
            let bytes = (0..<500).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            do { _ = try parser.read(bytes) } catch { #expect(error.description.contains("stream")) }
        }
    }
}
