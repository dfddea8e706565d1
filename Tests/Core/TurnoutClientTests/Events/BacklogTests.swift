/// A backlog is sent in few large requests, one at a time.
@Suite(.timeLimit(.minutes(1))) struct BacklogTests {
    @Test func requestsOfABacklogKeepToTheirBytes() async throws {
        let setup = EventSetup()
        for number in 0..<200 {
            let text = String(repeating: "x", count: 30_000)
            try setup.client.user("user \(number)").track("purchase", tags: ["note": .string(text)])
        }
        await setup.client.flush()
        #expect(setup.store.count == 0 && setup.transport.requests.allSatisfy { $0.body.count < 1_100_000 })
    }

    @Test func aLowerLimitOfTheReceiverIsKept() async throws {
        let setup = EventSetup(respond: { HTTPResponse(status: $0.body.count > 100_000 ? 413 : 204) })
        let text = String(repeating: "x", count: 2_000)
        for number in 0..<2_000 {
            try setup.client.user("user \(number)").track("purchase", tags: ["note": .string(text)])
        }
        // Delivery begins with small requests, while events are still added.
        let early = setup.transport.requests.count
        await setup.client.flush()
        #expect(setup.store.count == 0 && setup.client.lostEvents.total == 0)
        let bytes = setup.transport.requests.map(\.body.count)
        let (refused, all) = (bytes.filter { $0 > 100_000 }.reduce(0, +), bytes.reduce(0, +))
        #expect(refused < all - refused, "\(refused) of \(all) bytes were refused")
        #expect(bytes.count - early < 500)
    }

    @Test func theRequestSizeAdaptsToTheReceiversLimit() async throws {
        let setup = EventSetup(respond: { HTTPResponse(status: try EventSetup.users($0).count > 100 ? 400 : 204) })
        try setup.track(4_000)
        await setup.client.flush()
        #expect(setup.store.count == 0 && setup.client.lostEvents.total == 0)
        let sizes = try setup.batches.map(\.count)
        let (refused, all) = (sizes.filter { $0 > 100 }.reduce(0, +), sizes.reduce(0, +))
        #expect(refused < 3 * (all - refused), "\(refused) of \(all) events were refused")
    }

    @Test func requestsOfOneEventKeepTheirSize() async throws {
        let setup = EventSetup { $0.events.eventsPerRequest = 1 }
        try setup.track(50)
        await setup.client.flush()
        #expect(try setup.batches.allSatisfy { $0.count == 1 } && setup.transport.requests.count == 50)
    }

    @Test func manyBlockedEventsDoNotDelayOthers() async throws {
        var script = Script(.event("purchase"))
        let setup = EventSetup(script)
        setup.transport.respond { HTTPResponse(status: $0.url.contains("//eu.") ? 204 : 403) }
        try setup.track(3_000)
        (script.revision, script.region) = ("2", .eu)
        try setup.client.update(to: script.datafile)
        try setup.track(20)
        await setup.client.flush()
        #expect(setup.store.count == 3_000 && setup.client.lostEvents.total == 0)
    }
}
