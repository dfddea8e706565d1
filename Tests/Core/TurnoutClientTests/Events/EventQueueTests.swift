/// Events are delivered in batches and in order, and stay in their store until then.
@Suite struct EventQueueTests {
    @Test func withoutATransportEventsStayQueued() async throws {
        let store = MemoryEventStore()
        let client = FlagClient.scripted(.event("purchase"), configuration: .quiet { $0.eventStore = store })
        for _ in 0..<25 { try client.user("ada").track("purchase") }
        await client.flush()
        await client.close()
        #expect(store.count == 25 && client.lostEvents.total == 0)
    }

    @Test func enoughEventsAreSentAtOnce() async throws {
        let setup = EventSetup()
        try setup.track(9)
        try await wait("the timer runs") { setup.clock.sleeperCount == 1 }
        #expect(setup.transport.requests.isEmpty)
        try setup.track(1)
        try await wait("a full batch is sent") { setup.store.count == 0 }
        #expect(setup.transport.requests.count == 1)
    }

    @Test func fewEventsAreSentAfterTheInterval() async throws {
        let setup = EventSetup()
        for round in 1...3 {
            try setup.track(2)
            try await wait("the timer runs") { setup.clock.sleeperCount == 1 }
            setup.clock.advance(by: .seconds(29))
            #expect(setup.transport.requests.count == round - 1)
            setup.clock.advance(by: .seconds(1))
            try await wait("the events are sent") { setup.store.count == 0 }
        }
        #expect(try setup.batches == Array(repeating: ["user 0", "user 1"], count: 3))
    }

    @Test func batchesKeepTheOrder() async throws {
        let setup = EventSetup { $0.events.eventsPerRequest = 4 }
        try setup.track(3)
        await setup.client.flush()
        #expect(try setup.batches == [["user 0", "user 1", "user 2"]])
        let more = EventSetup(respond: { _ in HTTPResponse(status: 204) })
        try more.track(25)
        await more.client.flush()
        #expect(try more.batches.joined().elementsEqual((0..<25).map { "user \($0)" }))
        #expect(try more.batches.allSatisfy { $0.count <= 10 })
        #expect(more.store.count == 0)
    }

    @Test func onlyEventsOfOneGroupShareARequest() async throws {
        var script = Script(.event("purchase"))
        let setup = EventSetup(script)
        try setup.track(2)
        script.revision = "2"
        script.region = .eu
        try setup.client.update(to: script.datafile)
        try setup.track(3)
        await setup.client.flush()
        let counts = try setup.transport.requests.map { ($0.url, try EventSetup.users($0).count) }
        #expect(
            Dictionary(uniqueKeysWithValues: counts) == [
                "https://logx.optimizely.com/v1/events": 2, "https://eu.logx.optimizely.com/v1/events": 3,
            ])
    }

    @Test func endpointsCanBeReplaced() async throws {
        let setup = EventSetup {
            $0.events.endpoints.us = "https://collector.example/in"
            $0.events.requestDeadline = .seconds(3)
        }
        try setup.track(1)
        await setup.client.flush()
        #expect(setup.transport.requests.map(\.url) == ["https://collector.example/in"])
        #expect(setup.transport.requests.first?.deadline == .seconds(3))
    }

    // MARK: Failures

    @Test func failedRequestsAreRepeatedWithLongerPauses() async throws {
        let setup = EventSetup(respond: { _ in HTTPResponse(status: 503) })
        try setup.track(1)
        let flush = Task { await setup.client.flush() }
        for (attempt, delay) in [(1, 200), (2, 400)] {
            // The interval's timer sleeps at the same time.
            try await wait("the sender pauses") {
                setup.transport.requests.count == attempt && setup.clock.sleeperCount == 2
            }
            setup.clock.advance(by: .milliseconds(delay - 1))
            #expect(setup.transport.requests.count == attempt)
            setup.clock.advance(by: .milliseconds(1))
        }
        await flush.value
        #expect(setup.transport.requests.count == 3)
        #expect(Set(setup.transport.requests.map(\.body)).count == 1, "repeats are the same bytes")
        #expect(setup.store.count == 1)
        #expect(setup.log.entries.filter { $0.level == .warning }.count == 3)
        setup.transport.respond { _ in HTTPResponse(status: 200) }
        await setup.client.flush()
        #expect(setup.store.count == 0)
    }

    @Test func manyTasksLoseNothing() async throws {
        let setup = EventSetup()
        try await concurrently(0..<8) { task in
            for number in 0..<100 { try setup.client.user("\(task)/\(number)").track("purchase") }
        }
        await setup.client.close()
        let users = try setup.batches.flatMap { $0 }
        #expect(users.count == 800 && Set(users).count == 800)
        #expect(setup.store.count == 0)
    }

    // MARK: Closing

    @Test func closingEndsAtItsLimit() async throws {
        let gate = Gate()
        let setup = EventSetup(respond: { _ in
            await gate.pass()
            return HTTPResponse(status: 204)
        })
        try setup.track(2)
        try await wait("the timer runs") { setup.clock.sleeperCount == 1 }
        let closed = Collected<Bool>()
        let task = Task {
            await setup.client.close(within: .seconds(2))
            closed.add(true)
        }
        try await wait("the peer keeps silent") { gate.waitingCount == 1 && setup.clock.sleeperCount >= 2 }
        #expect(closed.count == 0)
        setup.clock.advance(by: .seconds(2))
        // The peer ignores the cancellation of the request.
        await task.value
        #expect(setup.store.count == 2)
        let warning = "closed with 2 events undelivered; they are only in memory and are lost when the process ends"
        #expect(setup.log.entries.contains { $0.message == warning })
        gate.open()
    }
}
