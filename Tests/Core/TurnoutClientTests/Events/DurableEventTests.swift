import Foundation
import TestSupport
import Testing
import TurnoutClient
import TurnoutTestKit

/// Stores that let nobody go on before what they were given is safe.
@Suite(.timeLimit(.minutes(5))) struct DurableEventTests {
    /// Lets callers go on when so many of them wait.
    private final class SlowStore: EventStore {
        private let store = MemoryEventStore()
        private let needed: Int
        private let waiting = Locked(0)
        /// How many events came together, call by call.
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
            while waiting.withLock({ $0 }) < needed { Thread.sleep(forTimeInterval: 0.001) }
            return store.append(contentsOf: events)
        }
    }

    private static let script = Script(.always("a", "1"), .always("b", "2"), .always("c", "1"))

    @Test func whatIsDecidedTogetherIsStoredTogether() async throws {
        let store = SlowStore(needed: 1)
        let client = Client.scripted(Self.script, configuration: .quiet { $0.eventStore = store })
        let user = User("fred")
        let stored = Collected<Int>()
        client.addListener(to: .impressions) { _ in stored.add(store.count) }
        _ = client.decideAll(for: user)
        _ = client.decide(["c", "a"], for: user)
        _ = await client.decideAll(for: user, within: .seconds(60))
        #expect(store.calls.all == [3, 2, 3])
        await client.close()
        #expect(stored.all.count == 8)
        #expect(stored.all.first.map { $0 >= 3 } == true, "listeners hear of what is stored")
    }

    /// More tasks wait for the store than Swift has threads.
    @Test func asynchronousDecisionsBlockNoThreadOfTasks() async throws {
        let count = 64
        let store = SlowStore(needed: count)
        let client = Client.scripted(Self.script, configuration: .quiet { $0.eventStore = store })
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let user = User("user \(number)")
                    if number % 2 == 0 {
                        _ = await client.decideAll(for: user, within: .seconds(60))
                    } else {
                        _ = await client.decide("a", for: user, within: .seconds(60))
                    }
                }
            }
        }
        #expect(store.calls.all.count == count)
    }
}
