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

    @Test func aKeyIsHeldByOneCallerAtATime() async throws {
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
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
        await #expect(throws: TestError()) { try await queue.withTurn(for: "a") { throw TestError() } }
        let value = try await queue.withTurn(for: "a") { 2 }
        #expect(value == 2)
    }
}
