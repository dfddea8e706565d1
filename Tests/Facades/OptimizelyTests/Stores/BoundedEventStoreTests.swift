import Foundation
import Optimizely
import Testing
import TurnoutClient
import TurnoutTestKit

@Suite(.ownThread) struct BoundedEventStoreTests {
    /// A store that records its calls, and counts slowly.
    private final class Probe: EventStore {
        let below = MemoryEventStore()
        let journal = Journal()
        let pause: useconds_t
        let waitsForDurability: Bool

        init(pause: useconds_t = 0, waitsForDurability: Bool = false) {
            self.pause = pause
            self.waitsForDurability = waitsForDurability
        }

        func append(_ event: OutgoingEvent) throws {
            journal.add("one")
            try below.append(event)
        }
        func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error] {
            journal.add("\(events.count) together")
            return below.append(contentsOf: events)
        }
        func oldest(_ count: Int) -> [StoredEvent] { below.oldest(count) }
        func remove(_ ids: [Int64]) { below.remove(ids) }
        var count: Int {
            defer { if pause > 0 { usleep(pause) } }
            return below.count
        }
    }

    private func events(_ numbers: Range<Int>) -> [OutgoingEvent] {
        numbers.map { OutgoingEvent(group: .init(region: .us, envelope: ""), visitor: Array("\($0)".utf8)) }
    }

    private func numbers(_ events: [OutgoingEvent]) -> [Int] {
        events.compactMap { Int(String(decoding: $0.visitor, as: UTF8.self)) }
    }

    @Test func aBoundedStoreKeepsTheContract() async throws {
        try await checkEventStore(limit: 500) { BoundedEventStore(MemoryEventStore(), limit: 500) }
    }

    @Test(arguments: [false, true]) func threadsDoNotExceedTheLimitTogether(together: Bool) {
        let probe = Probe(pause: 2_000)
        let store = BoundedEventStore(probe, limit: 10)
        let refused = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            let own = events(3 * thread..<3 * thread + 3)
            if together {
                refused.add(store.append(contentsOf: own).count)
            } else {
                for event in own where (try? store.append(event)) == nil { refused.add() }
            }
        }
        #expect(probe.below.count == 10 && refused.value == 14)
    }

    @Test func batchesArePassedOnAsBatches() throws {
        let probe = Probe()
        let store = BoundedEventStore(probe, limit: 5)
        #expect(store.append(contentsOf: events(0..<3)).isEmpty)
        let errors = store.append(contentsOf: events(3..<7))
        #expect(Set(errors.keys) == [2, 3] && errors.values.allSatisfy { $0 as? EventStoreError == .full })
        #expect(probe.journal.lines == ["3 together", "2 together"])
        #expect(numbers(probe.oldest(9).map(\.event)) == [0, 1, 2, 3, 4])
    }

    @Test func theOldestAreDroppedForABatch() throws {
        let lost = Locked<[OutgoingEvent]>([])
        let probe = Probe()
        let store = BoundedEventStore(probe, limit: 20) { events in lost.withLock { $0 += events } }
        #expect(store.append(contentsOf: events(0..<25)).isEmpty)
        #expect(numbers(lost.withLock { $0 }) == [0, 1, 2, 3, 4, 5])
        #expect(numbers(probe.oldest(99).map(\.event)) == Array(6..<25))
        for event in events(25..<27) { try store.append(event) }
        #expect(numbers(lost.withLock { $0 }) == Array(0..<8))
        #expect(probe.below.count == 19)
    }

    @Test func theLossHandlerMayUseTheStore() throws {
        let box = Locked<BoundedEventStore?>(nil)
        let store = BoundedEventStore(MemoryEventStore(), limit: 20) { lost in
            let store = box.withLock { $0 }
            try? store?.append(lost[0])
        }
        box.withLock { $0 = store }
        for event in events(0..<21) { try store.append(event) }
        #expect(numbers(try store.oldest(99).map(\.event)) == Array(2..<21) + [0])
        box.withLock { $0 = nil }
    }

    @Test(arguments: [false, true]) func waitsForDurabilityMatchesTheUnderlyingStore(waits: Bool) {
        #expect(BoundedEventStore(Probe(waitsForDurability: waits), limit: 5).waitsForDurability == waits)
    }
}
