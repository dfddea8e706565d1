import TestSupport
import Testing
import TurnoutClient

@Suite struct KeyedLockTests {
    private final class Counter: Sendable {
        let holders = Locked(0)
    }

    private let locks = KeyedLock<String>()

    @Test func aKeyIsLockedByOneCallerAtATime() async throws {
        let counter = Counter()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    try await blocking { [locks] in
                        for _ in 0..<100 {
                            locks.withLock(for: "a") {
                                counter.holders.withLock { $0 += 1 }
                                #expect(counter.holders.withLock { $0 } == 1)
                                counter.holders.withLock { $0 -= 1 }
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func otherKeysDoNotWait() async throws {
        let turnstile = Turnstile()
        let begun = Collected<Int>()
        let holder = Task {
            try await blocking { [locks] in
                locks.withLock(for: "a") {
                    begun.add(1)
                    turnstile.pass()
                }
            }
        }
        try await wait("the lock is held") { begun.count == 1 }
        let value = try await blocking { [locks] in locks.withLock(for: "b") { 2 } }
        #expect(value == 2)
        turnstile.open()
        try await holder.value
    }

    @Test func anErrorReleasesTheLock() {
        #expect(throws: TestError()) { try locks.withLock(for: "a") { throw TestError() } }
        #expect(locks.withLock(for: "a") { 1 } == 1)
    }
}
