@Suite("The default event dispatcher", .ownThread)
struct DispatcherTests {
    private func dispatcher(
        batchSize: Int = 10, timerInterval: Double = 60, _ transport: MemoryTransport
    ) -> DefaultEventDispatcher {
        let dispatcher = DefaultEventDispatcher(batchSize: batchSize, timerInterval: timerInterval)
        dispatcher.transport = transport
        dispatcher.log = .silent
        return dispatcher
    }

    @Test("confirms accepted events immediately")
    func acceptance() {
        let dispatcher = DefaultEventDispatcher()
        var body: Data?
        dispatcher.dispatchEvent(event: event("1")) { if case .success(let data) = $0 { body = data } }
        #expect(body == Data("{\"visitors\":[1]}".utf8))
        #expect(dispatcher.waitingCount == 1)
    }

    @Test("batches only adjacent events of one kind")
    func batches() {
        let transport = MemoryTransport()
        let dispatcher = dispatcher(batchSize: 100, transport)
        let foreign = EventForDispatch(url: URL(string: "https://events.test/us"), body: Data("{\"a\":1}".utf8))
        let events = [
            event("1"), event("2"), event("3", region: .eu), event("4", url: "https://events.test/eu"), event("5"),
            event("6", envelope: "{\"revision\":2,\"visitors\":["), foreign, foreign, event("7"), event("8"),
        ]
        for event in events { dispatcher.dispatchEvent(event: event, completionHandler: nil) }
        dispatcher.close()
        let expected = [
            "{\"visitors\":[1,2]}", "{\"visitors\":[3]}", "{\"visitors\":[4]}", "{\"visitors\":[5]}",
            "{\"revision\":2,\"visitors\":[6]}", "{\"a\":1}", "{\"a\":1}", "{\"visitors\":[7,8]}",
        ]
        // Requests to several URLs may be sent concurrently.
        #expect(transport.bodies.sorted() == expected.sorted())
        let us = transport.requests.filter { $0.url == "https://events.test/us" }
        #expect(us.map { String(decoding: $0.body, as: UTF8.self) } == expected.filter { !$0.contains("[4]") })
        #expect(transport.requests.map(\.url).filter { $0 == "https://events.test/eu" }.count == 1)
        #expect(transport.requests.first?.headers == ["Content-Type": "application/json"])
        #expect(dispatcher.waitingCount == 0)
    }

    @Test("sends full batches, and sends immediately without an interval")
    func triggers() async throws {
        let transport = MemoryTransport()
        let three = dispatcher(batchSize: 3, transport)
        for number in 1...3 {
            #expect(transport.requests.isEmpty)
            three.dispatchEvent(event: event("\(number)"), completionHandler: nil)
        }
        try await wait("the events") { transport.bodies == ["{\"visitors\":[1,2,3]}"] }
        let immediate = dispatcher(timerInterval: 0, transport)
        immediate.dispatchEvent(event: event("4"), completionHandler: nil)
        try await wait("the events") { transport.bodies.last == "{\"visitors\":[4]}" }
    }

    @Test("sends after the interval, and on a flush")
    func interval() async throws {
        let (transport, clock) = (MemoryTransport(), ManualClock())
        let dispatcher = DefaultEventDispatcher(timerInterval: 30, store: .memory, clock: clock)
        dispatcher.transport = transport
        dispatcher.dispatchEvent(event: event("1"), completionHandler: nil)
        try await wait("a pause") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(29))
        #expect(transport.requests.isEmpty)
        clock.advance(by: .seconds(1))
        try await wait("an empty queue") { dispatcher.waitingCount == 0 }
        dispatcher.dispatchEvent(event: event("2"), completionHandler: nil)
        dispatcher.flushEvents()
        try await wait("the second request") { transport.requests.count == 2 }
    }

    @Test("tries a batch three times with pauses, then keeps it for the next trigger", arguments: [429, 500, 503])
    func retries(status: Int) async throws {
        let (transport, clock) = (MemoryTransport { _ in HTTPResponse(status: status) }, ManualClock())
        let dispatcher = DefaultEventDispatcher(timerInterval: 30, store: .memory, clock: clock)
        dispatcher.transport = transport
        dispatcher.log = .silent
        dispatcher.dispatchEvent(event: event("1"), completionHandler: nil)
        try await wait("a pause") { clock.sleeperCount == 1 }
        dispatcher.flushEvents()
        // Jitter makes a pause up to a quarter longer.
        for (number, pause) in [Duration.milliseconds(250), .milliseconds(500)].enumerated() {
            try await wait("request \(number)") { transport.requests.count == number + 1 && clock.sleeperCount == 2 }
            clock.advance(by: pause)
        }
        try await wait("the third request") { transport.requests.count == 3 && clock.sleeperCount == 2 }
        #expect(dispatcher.waitingCount == 1)
        transport.respond { _ in HTTPResponse(status: 204) }
        clock.advance(by: .seconds(30))
        try await wait("an empty queue") { dispatcher.waitingCount == 0 }
        #expect(Set(transport.bodies).count == 1)
    }

    @Test("retries after the interval without another event")
    func revival() async throws {
        let (transport, clock) = (MemoryTransport { _ in HTTPResponse(status: 500) }, ManualClock())
        let dispatcher = DefaultEventDispatcher(batchSize: 1, timerInterval: 30, store: .memory, clock: clock)
        dispatcher.transport = transport
        dispatcher.log = .silent
        dispatcher.dispatchEvent(event: event("1"), completionHandler: nil)
        for number in 1...2 {
            try await wait("a pause") { transport.requests.count == number && clock.sleeperCount == 1 }
            clock.advance(by: .milliseconds(500))
        }
        try await wait("a pause") { transport.requests.count == 3 && clock.sleeperCount == 1 }
        transport.respond { _ in HTTPResponse(status: 200) }
        clock.advance(by: .seconds(30))
        try await wait("an empty queue") { dispatcher.waitingCount == 0 }
    }

    @Test("replaces invalid options with valid ones")
    func argumentRepair() async throws {
        let log = MemoryLog(level: .info)
        let dispatcher = RecordingDefaultDispatcher(batchSize: 0, timerInterval: -1, maxQueueSize: 50)
        dispatcher.log = log
        for number in 1...9 { dispatcher.dispatchEvent(event: event("\(number)"), completionHandler: nil) }
        #expect(dispatcher.sentBodies.isEmpty)
        dispatcher.dispatchEvent(event: event("10"), completionHandler: nil)
        try await wait("the events") { dispatcher.sentBodies == ["{\"visitors\":[1,2,3,4,5,6,7,8,9,10]}"] }
        #expect(log.entries.isEmpty)
        let contradictory = RecordingDefaultDispatcher(batchSize: 300, maxQueueSize: 200)
        contradictory.log = log
        for number in 1...299 { contradictory.dispatchEvent(event: event("\(number)"), completionHandler: nil) }
        #expect(contradictory.waitingCount == 299)
        #expect(log.entries.map(\.level) == [.error])
    }
}
