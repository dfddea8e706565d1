import Foundation

/// A store that hangs, without a deadline around it.
@Suite struct HangingStoreTests {
    private final class HangingStore: ProfileStore {
        let latch = Latch()
        let lookups = Locked(0)
        let additions = Locked(0)
        var isRemote: Bool { true }

        func profile(of userID: String) -> UserProfile {
            lookups.withLock { $0 += 1 }
            latch.pass()
            return UserProfile()
        }

        func save(_ assignments: [String: String], for userID: String) {
            Thread.sleep(forTimeInterval: 0.2)
            additions.withLock { $0 += 1 }
        }
    }

    private static func client(_ store: HangingStore) -> FlagClient {
        FlagClient.scripted(.split("a", between: "1", "2"), configuration: .quiet { $0.profiles = store })
    }

    /// In a separate process, since it uses all threads for such calls.
    @Test func lookupsWithoutAWaitingCallerAreSkipped() async {
        await #expect(processExitsWith: .success) {
            let store = HangingStore()
            let client = Self.client(store)
            await concurrently(0..<3_000) { number in
                _ = await client.decide("a", for: User("\(number)"), within: .milliseconds(1))
            }
            #expect(client.profileFailures[.lookupTimedOut] == 3_000)
            store.latch.open()
            try await wait("the store to be called again") {
                await client.decide("a", for: User("ada"), within: waitLimit).reasons.isEmpty
            }
            #expect(store.lookups.withLock { $0 } <= 513, "those with a thread, and the last one")
        }
    }

    @Test func closingWaitsForPendingAssignments() async {
        let store = HangingStore()
        store.latch.open()
        let client = Self.client(store)
        await concurrently(0..<20) { number in
            _ = await client.decide("a", for: User("\(number)"), within: .milliseconds(100))
        }
        await client.close(within: waitLimit)
        // Users who were looked up in time are stored.
        #expect(store.additions.withLock { $0 } == 20 - client.profileFailures[.lookupTimedOut])
    }
}
