import Foundation

/// A flush returns after every event was tried, even if another delivery is running.
@Suite(.timeLimit(.minutes(1))) struct FlushTests {
    /// Holds back responses until the gate is opened.
    private let gate = Gate()

    /// Gives other tasks time to fail.
    private func others() async throws { try await Task.sleep(for: .milliseconds(30)) }

    @Test func aFlushRetriesABlockedReceiver() async throws {
        var script = Script(.event("purchase"))
        let setup = EventSetup(script) {
            $0.events.attempts = 1
        } respond: { [gate] request in
            guard request.url.contains("//eu.") else { return HTTPResponse(status: 503) }
            await gate.pass()
            return HTTPResponse(status: 204)
        }
        try setup.track(1)
        (script.revision, script.region) = ("2", .eu)
        try setup.client.update(to: script.datafile)
        try setup.track(1)
        let first = Task { await setup.client.flush() }
        try await wait("one is refused, the other is in flight") { gate.waitingCount == 1 }
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        let second = Task { await setup.client.flush() }
        try await others()
        gate.open()
        await second.value
        #expect(setup.store.count == 0)
        await first.value
        #expect(setup.transport.requests.count == 3)
    }

    @Test func aFlushWaitsForAnotherClientsDelivery() async throws {
        let one = EventSetup(respond: { [gate] _ in
            await gate.pass()
            return HTTPResponse(status: 204)
        })
        let other = EventSetup {
            $0.eventStore = one.store
            $0.clock = ContinuousClock()
            $0.events.firstDelay = .milliseconds(5)
        }
        try one.track(1)
        let first = Task { await one.client.flush() }
        try await wait("it has begun") { gate.waitingCount == 1 }
        try other.track(2)
        let flushed = Collected<Int>()
        let second = Task {
            await other.client.flush()
            flushed.add(one.store.count)
        }
        try await others()
        #expect(flushed.all.isEmpty)
        gate.open()
        await second.value
        #expect(flushed.all == [0])
        await first.value
    }

    @Test func aFlushDoesNotWaitForAStuckDelivery() async throws {
        let setup = EventSetup {
            $0.clock = ContinuousClock()
            $0.events.requestDeadline = .milliseconds(20)
            $0.events.firstDelay = .milliseconds(5)
        }
        #expect(setup.store.beginDelivery())
        await setup.client.flush()
        try setup.track(1)
        await setup.client.flush()
        #expect(setup.store.count == 1 && setup.transport.requests.isEmpty)
    }

    // MARK: Backlog
    // A backlog is sent in few large requests, one at a time.

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

    // MARK: Durable event
    // With a durable store, calls return only after their events are stored.

    /// Blocks callers until a number of them wait.
    private final class SlowStore: EventStore {
        private let store = MemoryEventStore()
        private let needed: Int
        private let waiting = Locked(0)
        /// The number of events in each call.
        let calls = Collected<Int>()

        init(needed: Int) { self.needed = needed }

        var waitsForDurability: Bool { true }
        var count: Int { store.count }
        func oldest(_ count: Int) -> [StoredEvent] { store.oldest(count) }
        func remove(_ ids: [Int64]) { store.remove(ids) }

        func append(_ event: OutgoingEvent) throws {
            if let error = append(contentsOf: [event])[0] { throw error }
        }

        func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error] {
            calls.add(events.count)
            waiting.withLock { $0 += 1 }
            try? waitBlocking("all calls") { waiting.withLock { $0 } >= needed }
            return store.append(contentsOf: events)
        }
    }

    private static let script = Script(.always("a", "1"), .always("b", "2"), .always("c", "1"), .event("purchase"))

    @Test func eventsOfOneCallAreStoredTogether() async throws {
        let store = SlowStore(needed: 1)
        let client = FlagClient.scripted(Self.script, configuration: .quiet { $0.eventStore = store })
        let user = User("fred")
        let stored = Collected<Int>()
        client.addListener(to: .impressions) { _ in stored.add(store.count) }
        _ = client.decideAll(for: user)
        _ = client.decide(["c", "a"], for: user)
        _ = await client.decideAll(for: user, within: .seconds(60))
        #expect(store.calls.all == [3, 2, 3])
        await client.close()
        #expect(stored.all.count == 8)
        #expect(stored.all.first.map { $0 >= 3 } == true, "listeners are called only for stored events")
    }

    @Test func withoutTimeLeftACallDoesNotWaitForDurability() async throws {
        let (store, clock) = (SlowStore(needed: 3), ManualClock())
        let client = FlagClient.scripted(
            Self.script,
            configuration: .quiet {
                $0.eventStore = store
                $0.clock = clock
            })
        let user = client.user("fred")
        let decision = Task { await user.decide("a", within: .seconds(1)) }
        let conversion = Task { try await user.track("purchase", within: .seconds(1)) }
        try await wait("both wait for the store") { store.calls.all.count == 2 && clock.sleeperCount == 2 }
        clock.advance(by: .seconds(1))
        #expect(await decision.value.variationKey == "1")
        await #expect(throws: TrackError.notDurable) { try await conversion.value }
        try user.track("purchase")
        try await wait("the late assignment is stored") { store.count == 3 }
        await #expect(throws: TrackError.unknownEvent("x")) { try await user.track("x", within: .seconds(1)) }
    }

    /// More tasks wait for the store than Swift's executor has threads.
    @Test func closingWaitsForPendingWrites() async throws {
        let store = SlowStore(needed: 2)
        let client = FlagClient.scripted(Self.script, configuration: .quiet { $0.eventStore = store })
        await #expect(throws: TrackError.notDurable) {
            try await client.track("purchase", for: User("fred"), within: .milliseconds(1))
        }
        async let closed: Void = client.close(within: waitLimit)
        _ = store.append(contentsOf: [])
        await closed
        #expect(store.count == 1)
    }

    @Test func asynchronousDecisionsBlockNoThreadOfTasks() async throws {
        let count = 64
        let store = SlowStore(needed: count)
        let client = FlagClient.scripted(Self.script, configuration: .quiet { $0.eventStore = store })
        try await concurrently(0..<count) { number in
            let user = User("user \(number)")
            switch number % 3 {
            case 0: _ = await client.decideAll(for: user, within: .seconds(60))
            case 1: _ = await client.decide("a", for: user, within: .seconds(60))
            default: try await client.track("purchase", for: user, within: .seconds(60))
            }
        }
        #expect(store.calls.all.count == count)
    }
}
