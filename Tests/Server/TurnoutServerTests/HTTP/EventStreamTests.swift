import Testing
import TurnoutServer

@Suite("Streams of events")
struct EventStreamTests {
    @Test func anEventHasItsFieldsInLines() {
        let event = ServerSentEvent(id: "7", name: "change", data: "a\n\nb")
        #expect(String(decoding: event.bytes, as: UTF8.self) == "id: 7\nevent: change\ndata: a\ndata: \ndata: b\n\n")
        #expect(String(decoding: ServerSentEvent(id: "7").bytes, as: UTF8.self) == "id: 7\n\n")
    }

    @Test func onlyStreamsOfATopicGetAnEvent() {
        let hub = EventStreamHub()
        let (first, second, other) = (hub.open("a"), hub.open("a"), hub.open("b"))
        hub.publish(ServerSentEvent(data: "x"), to: "a")
        hub.publish(ServerSentEvent(data: "y"), to: "c")
        #expect(first?.available == "data: x\n\n")
        #expect(second?.available == "data: x\n\n")
        #expect(other?.available == "")
        hub.sendHeartbeat()
        for stream in [first, second, other] { #expect(stream?.available == ": keep-alive\n\n") }
        hub.end("a")
        #expect(first?.read() == .end)
        #expect(other?.read() == .wait)
    }

    @Test func onlyASlowReaderLosesItsStream() {
        let hub = EventStreamHub(bufferSize: 20)
        let (slow, fast) = (hub.open("a"), hub.open("a"))
        for _ in 1...5 {
            hub.publish(ServerSentEvent(data: "123456"), to: "a")
            #expect(fast?.available == "data: 123456\n\n")
        }
        #expect(slow?.available == "data: 123456\n\n")
        #expect(slow?.read() == .end)
    }

    @Test func closedStreamsMakeRoom() {
        let hub = EventStreamHub(limit: 2)
        let first = hub.open("a")
        _ = hub.open("b")
        #expect(hub.open("c") == nil)
        first?.close()
        first?.close()
        #expect(hub.count == 1)
        #expect(hub.open("c") != nil)
        #expect(hub.refused == 1)
        hub.close()
        #expect(hub.open("d") == nil)
    }
}

@Suite("Entity tags")
struct EntityTagTests {
    private func tag(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { EntityTag.of($0) } }

    @Test func everyByteCounts() {
        var tags: Set<String> = []
        for count in 0...40 {
            let bytes = [UInt8](repeating: 0, count: count)
            #expect(tags.insert(tag(bytes)).inserted)
            for place in 0..<count {
                for value in [UInt8(1), 0x80] {
                    var changed = bytes
                    changed[place] = value
                    #expect(tags.insert(tag(changed)).inserted)
                }
            }
        }
        #expect(tags.allSatisfy { $0.wholeMatch(of: /"[0-9a-f]{32}"/) != nil })
        // The same on every server, and in every version.
        #expect(tag(Array("turnout".utf8)) == "\"992c0ed98b87b8eafa916e8cdd8bdf40\"")
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("\"b\",W/\"a\" , \"c\"", true), ("*", true),
        ("\"b\"", false), ("a", false), ("", false), ("\"ab\"", false),
    ])
    func aRequestNamesTags(header: String, isNamed: Bool) {
        #expect(EntityTag.isNamed("\"a\"", in: RequestHead("GET", "/", headers: ["If-None-Match": header])) == isNamed)
    }
}
