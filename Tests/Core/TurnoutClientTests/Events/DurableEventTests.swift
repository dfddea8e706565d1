import Foundation

/// With a durable store, calls return only after their events are stored.
@Suite(.timeLimit(.minutes(1))) struct DurableEventTests {
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
