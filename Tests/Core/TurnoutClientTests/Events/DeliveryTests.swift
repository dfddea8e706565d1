/// Events that the receiver does not accept at first.
@Suite(.timeLimit(.minutes(1))) struct DeliveryTests {
    @Test(arguments: [307, 401, 402, 403, 404, 405, 407, 410, 421, 426, 451])
    func misconfiguredReceiversAreNotRetriedAtOnce(status: Int) async throws {
        let statuses = Collected<Int>()
        let setup = EventSetup {
            $0.events.onMisconfiguration = { statuses.add($0) }
        } respond: { _ in
            HTTPResponse(status: status)
        }
        try setup.track(2)
        await setup.client.flush()
        await setup.client.flush()
        #expect(statuses.all == [status], "the owner is notified once")
        #expect(setup.log.entries.count { $0.level == .error } == 1)
        #expect(setup.transport.requests.count == 2 && setup.store.count == 2)
        try setup.track(20)
        #expect(setup.transport.requests.count == 2, "new events do not change the order")
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        setup.clock.advance(by: .seconds(300))
        try await wait("after five minutes it is tried again") { setup.store.count == 0 }
        #expect(setup.client.lostEvents.total == 0)
    }

    @Test func anAddressThatCannotBeUsedIsReported() async throws {
        let statuses = Collected<Int>()
        let setup = EventSetup {
            $0.events.onMisconfiguration = { statuses.add($0) }
        } respond: { _ in
            throw TransportError(.badAddress, "http is not allowed, only https")
        }
        try setup.track(2)
        await setup.client.flush()
        #expect(statuses.all == [0] && setup.transport.requests.count == 1 && setup.store.count == 2)
        #expect(setup.log.entries.contains { $0.message.contains("http is not allowed") })
    }

    @Test func retryAfterIsHonored() async throws {
        let setup = EventSetup(respond: { _ in HTTPResponse(status: 429, headers: ["Retry-After": "40"]) })
        try setup.track(10)
        try await wait("it was tried once") { setup.transport.requests.count == 1 }
        try await wait("it pauses, beside the interval's timer") { setup.clock.sleeperCount == 2 }
        setup.clock.advance(by: .seconds(39))
        try setup.track(1)
        #expect(setup.transport.requests.count == 1)
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        setup.clock.advance(by: .seconds(1))
        try await wait("everything arrives") { setup.store.count == 0 }
    }

    @Test func pausesGrowToFiveMinutes() async throws {
        let setup = EventSetup {
            $0.events.attempts = 1
            $0.events.interval = .zero
        } respond: { _ in
            HTTPResponse(status: 500)
        }
        try setup.track(1)
        var pause = Duration.milliseconds(200)
        for number in 1...15 {
            try await wait("attempt \(number)") { setup.transport.requests.count == number }
            try await wait("it pauses") { setup.clock.sleeperCount == 1 }
            setup.clock.advance(by: pause - .milliseconds(1))
            #expect(setup.transport.requests.count == number)
            setup.clock.advance(by: .milliseconds(1))
            pause = min(pause * 2, .seconds(300))
        }
        #expect(setup.store.count == 1)
    }

    @Test(arguments: [400, 413, 422], [0, 3, 9])
    func invalidEventIsFoundAmongValidOnes(status: Int, bad: Int) async throws {
        let arrived = Collected<String>()
        let setup = EventSetup(respond: { request in
            let users = try EventSetup.users(request)
            guard !users.contains("user \(bad)") else { return HTTPResponse(status: status) }
            for user in users { arrived.add(user) }
            return HTTPResponse(status: 204)
        })
        try setup.track(10)
        await setup.client.flush()
        try await wait("all are removed") { setup.store.count == 0 }
        #expect(arrived.all.sorted() == (0..<10).filter { $0 != bad }.map { "user \($0)" })
        #expect(setup.client.lostEvents[.refused] == 1)
        #expect(setup.transport.requests.count <= 12)
    }

    @Test func namedInvalidEventsAreDiscardedAlone() async throws {
        let setup = EventSetup(respond: { request in
            guard try EventSetup.users(request).contains("user 1") else { return HTTPResponse(status: 204) }
            return HTTPResponse(status: 400, body: Array(#"{"detail":{"invalids":[{"event":1}]}}"#.utf8))
        })
        try setup.track(4)
        await setup.client.flush()
        #expect(try setup.batches == [["user 0", "user 1", "user 2", "user 3"], ["user 0", "user 2", "user 3"]])
        #expect(setup.client.lostEvents[.refused] == 1)
    }

    @Test func requestsDoNotExceedTheirSize() async throws {
        let setup = EventSetup {
            $0.events.eventsPerRequest = 100
            $0.events.bytesPerRequest = 2_000
        }
        try setup.track(20)
        await setup.client.flush()
        #expect(setup.transport.requests.count > 1)
        #expect(setup.transport.requests.allSatisfy { $0.body.count < 2_400 })
        #expect(try setup.batches.joined().elementsEqual((0..<20).map { "user \($0)" }))
        let large = String(repeating: "x", count: 5_000)
        try setup.client.user("ada").track("purchase", tags: ["note": .string(large)])
        await setup.client.flush()
        #expect(setup.store.count == 0, "an oversized event is sent alone")
    }

    @Test func eventsBeyondTheMaximumAgeAreDiscarded() async throws {
        let time = FixedWallClock(1_000_000_000)
        let setup = EventSetup {
            $0.wallClock = time
            $0.events.maximumAge = .seconds(3_600)
            $0.events.eventsPerRequest = 3
        }
        setup.transport.respond { _ in HTTPResponse(status: 503) }
        try setup.track(2)
        time.set(1_000_000_000 + 3_600_001)
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        try setup.client.user("late").track("purchase")
        await setup.client.flush()
        #expect(try setup.batches == [["late"]])
        #expect(setup.client.lostEvents[.tooOld] == 2)
    }

    @Test func leftoversAreSentAtTheStart() async throws {
        let store = MemoryEventStore()
        let first = EventSetup {
            $0.eventStore = store
            $0.transport = nil
        }
        try first.track(3)
        let second = EventSetup { $0.eventStore = store }
        try await wait("they are sent without any call") { store.count == 0 }
        #expect(try second.batches == [["user 0", "user 1", "user 2"]])
    }

    @Test func cancelledFlushDoesNotEndTheDelivery() async throws {
        let gate = Gate()
        let setup = EventSetup(respond: { _ in
            await gate.pass()
            return HTTPResponse(status: 204)
        })
        try setup.track(2)
        let flush = Task { await setup.client.flush() }
        try await wait("it is being sent") { gate.waitingCount == 1 }
        flush.cancel()
        gate.open()
        try await wait("it arrives") { setup.store.count == 0 }
        #expect(setup.transport.requests.count == 1)
    }

    @Test func oneFailingReceiverDoesNotDelayAnother() async throws {
        var script = Script(.event("purchase"))
        let setup = EventSetup(script) { $0.events.eventsPerRequest = 1 }
        setup.transport.respond { HTTPResponse(status: $0.url.contains("//eu.") ? 204 : 403) }
        try setup.track(1)
        try await wait("it is refused") { setup.transport.requests.count == 1 }
        script.revision = "2"
        script.region = .eu
        try setup.client.update(to: script.datafile)
        try setup.track(2)
        try await wait("the others arrive") { setup.store.count == 1 }
    }

    @Test func backOffAlsoAppliesToEventsOfALaterDatafile() async throws {
        var script = Script(.event("purchase"))
        let setup = EventSetup(script) { $0.events.attempts = 1 }
        setup.transport.respond { _ in HTTPResponse(status: 503) }
        try setup.track(2)
        script.revision = "2"
        try setup.client.update(to: script.datafile)
        try setup.track(3)
        await setup.client.flush()
        try setup.track(20)
        #expect(setup.transport.requests.count == 1)
        try await wait("it pauses, beside the interval's timer") { setup.clock.sleeperCount == 2 }
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        setup.clock.advance(by: .milliseconds(200))
        try await wait("everything arrives") { setup.store.count == 0 }
        #expect(try setup.batches.map(\.count) == [2, 2, 10, 10, 3], "they arrive in their order")
    }

    @Test func oneDestinationsPauseIsNotExtendedByOthers() async throws {
        var script = Script(.event("purchase"))
        let setup = EventSetup(script) { $0.events.attempts = 1 }
        let isBusy = Locked(true)
        setup.transport.respond { request in
            guard request.url.contains("//eu.") else { return HTTPResponse(status: 403) }
            return HTTPResponse(status: isBusy.withLock { $0 } ? 503 : 204)
        }
        try setup.track(2)
        (script.revision, script.region) = ("2", .eu)
        try setup.client.update(to: script.datafile)
        try setup.track(3)
        await setup.client.flush()
        #expect(setup.transport.requests.count == 2 && setup.store.count == 5)
        isBusy.withLock { $0 = false }
        try await wait("it pauses for both, beside the interval's timer") { setup.clock.sleeperCount == 3 }
        setup.clock.advance(by: .milliseconds(200))
        try await wait("the busy receiver is retried soon") { setup.store.count == 2 }
        #expect(setup.transport.requests.count == 3)
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        setup.clock.advance(by: .seconds(300))
        try await wait("the other one after five minutes") { setup.store.count == 0 }
    }

    @Test func backOffContinuesWhenARunEndsEarly() async throws {
        var script = Script(.event("purchase"))
        let setup = EventSetup(script) {
            $0.events.eventsPerRequest = 1
            $0.events.requestsPerRun = 2
            $0.events.attempts = 1
        }
        setup.transport.respond {
            $0.url.contains("//eu.")
                ? HTTPResponse(status: 204) : HTTPResponse(status: 429, headers: ["Retry-After": "40"])
        }
        try setup.track(1)
        try await wait("it pauses") { setup.clock.sleeperCount == 1 }
        script.revision = "2"
        script.region = .eu
        try setup.client.update(to: script.datafile)
        try setup.track(7)
        try await wait("the others arrive") {
            setup.clock.advance(by: .milliseconds(100))
            return setup.store.count == 1
        }
        #expect(setup.transport.requests.count == 8, "the first receiver received one request")
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        setup.clock.advance(by: .seconds(40))
        try await wait("everything arrives") { setup.store.count == 0 }
    }
}
