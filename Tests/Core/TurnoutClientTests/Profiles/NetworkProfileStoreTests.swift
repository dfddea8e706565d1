/// A store that does not respond blocks no caller beyond the deadline, and few threads.
@Suite struct NetworkProfileStoreTests {
    private let latch = Latch()

    /// Shorter than any other wait here. It need not be exact: calls that are late here never return by themselves.
    private static let short = Duration.milliseconds(20)

    /// A store that keeps nothing in memory.
    private func timed(
        _ store: some ProfileStore, _ deadline: Duration = .seconds(30), log: any Log = .silent
    ) -> NetworkProfileStore {
        store.applying(ProfilePolicy(age: .zero, deadline: deadline, bufferedAssignments: 0), log: log)
    }

    private func client(
        _ store: NetworkProfileStore, _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) -> FlagClient {
        FlagClient.scripted(
            Script(.split("a", between: "1", "2")),
            configuration: .quiet {
                $0.profiles = store
                change(&$0)
            })
    }

    @Test func storesThatRespondInTimeAreUsed() throws {
        let store = WatchedStore()
        let timed = timed(store)
        try timed.save(["1": "11"], for: "ada")
        #expect(try timed.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(try timed.profiles(of: ["ada", "bob"])["ada"] == UserProfile(["1": "11"]))
        store.isBroken = true
        #expect(throws: TestError.self) { try timed.profile(of: "ada") }
        #expect(throws: TestError.self) { try timed.save(["1": "11"], for: "ada") }
        #expect(timed.isRemote && timed.failures.total == 0, "the caller counts errors that it receives")
    }

    @Test func anUnresponsiveStoreDelaysOnlyTheFirstCalls() async throws {
        let store = WatchedStore { latch.pass() }
        let timed = timed(store, Self.short)
        for _ in 0..<16 { #expect(throws: ProfileStoreError.timedOut) { try timed.profile(of: "ada") } }
        for _ in 0..<100 { #expect(throws: ProfileStoreError.unresponsive) { try timed.profile(of: "ada") } }
        try await wait("the calls") { store.calls.count == 16 }
        latch.open()
        try await wait("the store is called again") { (try? timed.profile(of: "ada")) != nil }
    }

    @Test func callsBeyondTheLimitAreQueued() async throws {
        let store = WatchedStore { latch.pass() }
        let timed = timed(store)
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask { try await blocking { _ = try timed.profile(of: "user \(number)") } }
            }
            try await wait("16 calls have begun") { store.calls.count == 16 }
            latch.open()
            try await group.waitForAll()
        }
        #expect(store.calls.count == 20)
    }

    /// Each failure is reported to one caller, which counts it.
    @Test func failuresAreCountedOnce() async throws {
        let log = MemoryLog()
        let timed = timed(WatchedStore(isBroken: true), log: log)
        let client = client(timed) { $0.log = log }
        #expect(client.user("ada").decide("a").reasons == [.profileUnavailable])
        #expect(client.profileFailures.total + timed.failures.total == 1)
        #expect(log.entries.count { $0.level == .error } == 1)
    }

    /// The decision's limit is shorter than the store's, and expires first.
    @Test func lateLookupsThatFailAreCountedOnce() async throws {
        let (clock, latch) = (ManualClock(), Latch())
        let store = WatchedStore(isBroken: true) { latch.pass() }
        let client = client(timed(store)) { $0.clock = clock }
        async let decision = client.user("ada").decide("a", within: .seconds(1))
        try await wait("the lookup has begun") { store.calls.count == 1 && clock.sleeperCount == 1 }
        clock.advance(by: .seconds(1))
        #expect(await decision.reasons == [.profileUnavailable])
        latch.open()
        try await Task.sleep(for: .milliseconds(50))
        #expect(client.profileFailures.total == 1)
    }

    @Test func decisionsSayThatTheProfileIsUnavailable() async {
        let store = WatchedStore { latch.pass() }
        let client = client(timed(store, Self.short))
        #expect(client.user("ada").decide("a").reasons == [.profileUnavailable])
        #expect(await client.user("ada").decide("a", within: .seconds(30)).reasons == [.profileUnavailable])
        #expect(client.profileFailures[.lookupTimedOut] == 2)
        latch.open()
        #expect(store.calls.all.allSatisfy { $0 == "read ada" })
    }

    /// Synchronous decisions block all threads of Swift's executor; the deadline still fires.
    @Test func deadlinesApplyWhenAllTasksAreBlocked() async {
        let timed = timed(WatchedStore { latch.pass() }, Self.short)
        await concurrently(0..<64) { _ in #expect(throws: ProfileStoreError.self) { try timed.profile(of: "ada") } }
        latch.open()
    }

    @Test func awaitedLookupsHaveTheDeadline() async {
        struct Store: AwaitableProfileStore {
            let gate: Gate
            func profile(of userID: String) -> UserProfile { UserProfile() }
            func save(_ assignments: [String: String], for userID: String) {}
            func awaitSave(_ assignments: [String: String], for userID: String) async {}
            func awaitProfile(of userID: String) async -> UserProfile {
                await gate.pass()
                return UserProfile()
            }
        }
        let gate = Gate()
        let timed = timed(Store(gate: gate), Self.short)
        await #expect(throws: ProfileStoreError.timedOut) { try await timed.awaitProfile(of: "ada") }
        gate.open()
    }

    @Test func lookupsOfTasksAreGathered() async throws {
        struct Store: BatchProfileStore {
            let store: WatchedStore
            func profile(of userID: String) throws -> UserProfile { try store.profile(of: userID) }
            func profiles(of userIDs: [String]) throws -> [String: UserProfile] { try store.profiles(of: userIDs) }
            func save(_ assignments: [String: String], for userID: String) throws {
                try store.save(assignments, for: userID)
            }
        }
        let store = WatchedStore { latch.blockFirst() }
        for number in 0..<10 { store.store.save(["1": "\(number)"], for: "user \(number)") }
        let timed = timed(Store(store: store))
        async let first = timed.awaitProfile(of: "ada")
        try await wait("the first call") { latch.hasHeldUp }
        try await withThrowingTaskGroup { group in
            for number in 0..<10 {
                group.addTask {
                    let found = try await timed.awaitProfile(of: "user \(number)")
                    #expect(found == UserProfile(["1": "\(number)"]))
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            latch.open()
            try await group.waitForAll()
        }
        #expect(try await first == UserProfile())
        #expect(store.calls.count < 5, "\(store.calls.all)")
    }
}
