/// A backlog in a file is sent in few large requests.
@Suite(.timeLimit(.minutes(1))) struct BacklogTests {
    @Test func twentyThousandEventsReachADistantReceiver() async throws {
        let directory = TemporaryDirectory()
        var options = SQLiteOptions()
        options.maximumEvents = 20_000
        let storage = try SQLiteStorage(directory: directory.path, options, log: directory.log)
        let transport = MemoryTransport { _ in
            try await Task.sleep(for: .milliseconds(100))
            return HTTPResponse(status: 204)
        }
        var configuration = ClientConfiguration()
        configuration.eventStore = storage.events
        configuration.transport = transport
        configuration.events.interval = .seconds(3_600)
        configuration.log = .silent
        let events = (0..<20_000).map { number in
            OutgoingEvent(
                group: .init(region: .us, envelope: "{\"visitors\":["),
                visitor: Array(#"{"visitor_id":"user \#(number % 700)","number":\#(number)}"#.utf8))
        }
        #expect(storage.events.append(contentsOf: events).isEmpty)
        try storage.synchronize()
        let start = ContinuousClock.now
        // A client delivers the events left by an earlier process.
        let client = FlagClient(configuration)
        await client.flush()
        let time = ContinuousClock.now - start
        print("20,000 events in a file to a receiver 100 ms away: \(time), \(transport.requests.count) requests")
        #expect(storage.events.count == 0 && time < .seconds(60) && transport.requests.count < 30)
        var last: [String: Int64] = [:]
        for request in transport.requests {
            guard case .array(let visitors)? = try JSONValue(parsing: request.body)["visitors"] else { continue }
            for visitor in visitors {
                guard case .string(let user)? = visitor["visitor_id"], case .integer(let number)? = visitor["number"]
                else { continue }
                #expect(last[user] ?? -1 < number, "the order of a user's events")
                last[user] = number
            }
        }
        #expect(last.count == 700)
    }

    @Test func eventsAfterAnIdAreFoundAtAnyPosition() throws {
        let directory = TemporaryDirectory()
        let store = try SQLiteStorage(directory: directory.path, log: directory.log).events
        let group = OutgoingEvent.Group(region: .us, envelope: "[")
        for number in 0..<10 { try store.append(OutgoingEvent(group: group, visitor: Array("\(number)".utf8))) }
        let all = try store.oldest(10)
        #expect(try store.oldest(3, after: all[4].id) == Array(all[5..<8]))
        #expect(try store.oldest(3, after: all[8].id) == [all[9]])
        #expect(try store.oldest(3, after: all[9].id).isEmpty && store.oldest(3, after: .max - 1).isEmpty)
        #expect(try store.oldest(10, after: .min) == all)
    }
}
