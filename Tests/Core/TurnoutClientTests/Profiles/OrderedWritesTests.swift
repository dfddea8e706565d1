import TestSupport
import Testing
import TurnoutClient

@Suite struct OrderedWritesTests {
    private let latch: Latch
    private let store: WatchedStore
    private let losses = Collected<Int>()
    private let writes: OrderedWrites

    init() {
        let latch = Latch()
        self.latch = latch
        store = WatchedStore(writing: { latch.blockFirst() })
        writes = OrderedWrites(store, calls: BoundedCalls(limit: 1)) { [losses] count, _ in losses.add(count) }
    }

    /// Adds an assignment that times out during its call of the store, which continues until the latch is opened.
    private func addLate(_ key: String, _ value: String, for user: String) async throws {
        await #expect(throws: ProfileStoreError.timedOut) {
            try await add(key, value, for: user, within: .milliseconds(1))
        }
        // Additions before the call would be merged into it.
        try await wait("the call begins") { latch.hasHeldUp }
    }

    /// Adds an assignment, on a thread that may block.
    private func add(_ key: String, _ value: String, for user: String, within limit: Duration) async throws {
        try await blocking { [writes] in try writes.add([key: value], for: user, within: limit) }
    }

    @Test func callersReceiveTheErrorOfTheStore() async throws {
        latch.open()
        try await add("1", "a", for: "ada", within: waitLimit)
        #expect(store.store.profile(of: "ada") == UserProfile(["1": "a"]))
        store.isBroken = true
        await #expect(throws: TestError()) { try await add("1", "b", for: "ada", within: waitLimit) }
        #expect(losses.count == 0)
    }

    @Test func additionsBehindALateWriteAreMerged() async throws {
        try await addLate("1", "a", for: "ada")
        // These do not wait.
        await #expect(throws: ProfileStoreError.timedOut) { try await add("1", "b", for: "ada", within: waitLimit) }
        await #expect(throws: ProfileStoreError.timedOut) { try await add("2", "c", for: "ada", within: waitLimit) }
        latch.open()
        await writes.flush(within: waitLimit)
        #expect(store.calls.all == ["add 1 to ada", "add 2 to ada"])
        #expect(store.store.profile(of: "ada") == UserProfile(["1": "b", "2": "c"]))
        #expect(losses.count == 0)
    }

    @Test func lateAdditionsThatFailAreCounted() async throws {
        try await addLate("1", "a", for: "ada")
        await #expect(throws: ProfileStoreError.timedOut) { try await add("1", "b", for: "ada", within: waitLimit) }
        store.isBroken = true
        latch.open()
        await writes.flush(within: waitLimit)
        #expect(losses.all == [1, 1])
    }

    @Test func furtherAdditionsFailAtOnceWhenAllCallsAreLate() async throws {
        try await addLate("1", "a", for: "ada")
        await #expect(throws: ProfileStoreError.unresponsive) {
            try await add("1", "a", for: "bob", within: waitLimit)
        }
        latch.open()
        await writes.flush(within: waitLimit)
        #expect(store.calls.all == ["add 1 to ada"])
    }
}
