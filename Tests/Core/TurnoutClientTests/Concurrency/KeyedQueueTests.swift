import TestSupport
import Testing
import TurnoutClient

@Suite struct KeyedQueueTests {
    private final class Counter: Sendable {
        private let holders = Locked(0)

        func enter() { #expect(change(by: 1) == 1) }
        func leave() { #expect(change(by: -1) == 0) }

        private func change(by difference: Int) -> Int {
            holders.withLock { holders in
                holders += difference
                return holders
            }
        }
    }

    private let queue = KeyedQueue<String>()

    /// Callers are threads and tasks.
    @Test func aKeyIsHeldByOneCallerAtATime() async throws {
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { [queue] in
                    try await blocking {
                        for _ in 0..<100 {
                            queue.withLock(for: "a") {
                                counter.enter()
                                counter.leave()
                            }
                        }
                    }
                }
                group.addTask { [queue] in
                    for _ in 0..<100 {
                        try await queue.withTurn(for: "a") {
                            counter.enter()
                            await Task.yield()
                            counter.leave()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func threadsWithOtherKeysDoNotWait() async throws {
        let latch = Latch()
        let begun = Collected<Int>()
        let holder = Task {
            try await blocking { [queue] in
                queue.withLock(for: "a") {
                    begun.add(1)
                    latch.pass()
                }
            }
        }
        try await wait("the key is held") { begun.count == 1 }
        let value = try await blocking { [queue] in queue.withLock(for: "b") { 2 } }
        #expect(value == 2)
        latch.open()
        try await holder.value
    }

    @Test func tasksWithOtherKeysDoNotWait() async throws {
        let gate = Gate()
        let holder = Task { [queue] in try await queue.withTurn(for: "a") { await gate.pass() } }
        try await wait("the key is held") { gate.waitingCount == 1 }
        let value = try await queue.withTurn(for: "b") { 2 }
        #expect(value == 2)
        gate.open()
        try await holder.value
    }

    @Test func anErrorEndsTheTurn() async throws {
        #expect(throws: TestError()) { try queue.withLock(for: "a") { throw TestError() } }
        await #expect(throws: TestError()) { try await queue.withTurn(for: "a") { throw TestError() } }
        #expect(queue.withLock(for: "a") { 1 } == 1)
        let value = try await queue.withTurn(for: "a") { 2 }
        #expect(value == 2)
    }
}
