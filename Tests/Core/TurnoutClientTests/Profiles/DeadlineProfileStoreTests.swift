import TestSupport
import Testing
import TurnoutClient
import TurnoutTestKit

/// A store that does not respond blocks no caller beyond the deadline.
@Suite struct DeadlineProfileStoreTests {
    /// Shorter than any other wait here. It need not be exact: calls that are late here never return by themselves.
    private static let short = Duration.milliseconds(20)

    @Test func storesThatRespondInTimeAreUsed() throws {
        let store = WatchedStore()
        let timed = store.within(.seconds(30), log: .silent)
        try timed.save(["1": "11"], for: "ada")
        #expect(try timed.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(try timed.profiles(of: ["ada", "bob"])["ada"] == UserProfile(["1": "11"]))
        store.isBroken = true
        #expect(throws: TestError.self) { try timed.profile(of: "ada") }
        #expect(throws: TestError.self) { try timed.save(["1": "11"], for: "ada") }
        #expect(timed.isRemote && timed.failures.total == 0, "the caller counts errors that it receives")
    }

    @Test func anUnresponsiveStoreDelaysOnlyTheFirstCalls() async throws {
        let latch = Latch()
        let store = WatchedStore { latch.pass() }
        let timed = store.within(Self.short, calls: 3, log: .silent)
        for _ in 0..<3 { #expect(throws: ProfileStoreError.timedOut) { try timed.profile(of: "ada") } }
        for _ in 0..<100 { #expect(throws: ProfileStoreError.unresponsive) { try timed.profile(of: "ada") } }
        #expect(throws: ProfileStoreError.unresponsive) { try timed.save(["1": "11"], for: "ada") }
        try await wait("the calls") { store.calls.count == 3 }
        latch.open()
        try await wait("the store is called again") { (try? timed.profile(of: "ada")) != nil }
    }

    @Test func callsBeyondTheLimitAreQueued() async throws {
        let latch = Latch()
        let store = WatchedStore { latch.pass() }
        let timed = store.within(.seconds(30), calls: 2, log: .silent)
        try await withThrowingTaskGroup { group in
            for number in 0..<10 {
                group.addTask { try await blocking { _ = try timed.profile(of: "user \(number)") } }
            }
            try await wait("two calls have begun") { store.calls.count == 2 }
            latch.open()
            try await group.waitForAll()
        }
        #expect(store.calls.count == 10 && timed.failures.total == 0)
    }

    @Test func lateAdditionsAreWritten() async throws {
        let latch = Latch()
        let store = WatchedStore(writing: { latch.pass() })
        let timed = store.within(Self.short, calls: 1, log: .silent)
        #expect(throws: ProfileStoreError.timedOut) { try timed.save(["1": "11"], for: "ada") }
        latch.open()
        try await wait("the addition arrives") { store.store.profile(of: "ada") == UserProfile(["1": "11"]) }
    }

    @Test func aLateAdditionDoesNotBringAForgottenUserBack() async throws {
        let latch = Latch()
        let store = WatchedStore(writing: { latch.blockFirst() })
        let timed = store.within(Self.short, log: .silent)
        #expect(throws: ProfileStoreError.timedOut) { try timed.save(["1": "11"], for: "ada") }
        let forgetting = Task { try await BlockingCall.result { try timed.forget("ada") } }
        try timed.save(["1": "11"], for: "bob")
        #expect(!store.calls.all.contains("forget ada"))
        latch.open()
        try await forgetting.value
        #expect(store.calls.all.last == "forget ada" && store.store.profile(of: "ada") == UserProfile())
    }

    /// The first addition hangs; later ones must neither overtake it nor block their callers.
    @Test func lateAdditionsAreNotOvertaken() async throws {
        let latch = Latch()
        let store = WatchedStore(writing: { latch.blockFirst() })
        let timed = store.within(Self.short, log: .silent)
        for number in 1...100 {
            #expect(throws: ProfileStoreError.timedOut) {
                try timed.save(["1": "\(number)", "more \(number)": "x"], for: "ada")
            }
            if number == 1 { try await wait("the call has begun") { store.calls.count == 1 } }
        }
        latch.open()
        try await wait("everything arrives") { store.store.profile(of: "ada").assignments.count == 101 }
        #expect(store.store.profile(of: "ada").assignments["1"] == "100")
        #expect(store.calls.count == 2 && timed.failures[.writeLost] == 0)
    }

    /// The queue behind a late addition is bounded.
    @Test func tooManyAdditionsBehindALateOneAreLost() async throws {
        let latch = Latch()
        let store = WatchedStore(writing: { latch.pass() })
        let timed = store.within(Self.short, log: .silent)
        let many = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("\($0)", "x") })
        #expect(throws: ProfileStoreError.timedOut) { try timed.save(["first": "x"], for: "ada") }
        try await wait("the call has begun") { store.calls.count == 1 }
        for _ in 0..<3 { #expect(throws: ProfileStoreError.timedOut) { try timed.save(many, for: "ada") } }
        #expect(throws: ProfileStoreError.full) { try timed.save(["more": "x"], for: "ada") }
        #expect(throws: ProfileStoreError.timedOut) { try timed.save(["more": "x"], for: "bob") }
        latch.open()
        await timed.flush(within: .seconds(30))
        #expect(store.calls.count == 3 && store.store.profile(of: "ada").assignments.count == 10_001)
    }

    @Test func flushesWaitForLateAdditions() async throws {
        let latch = Latch()
        let store = WatchedStore(writing: { latch.pass() })
        let timed = store.within(Self.short, log: .silent)
        for user in ["ada", "bob", "ada"] {
            #expect(throws: ProfileStoreError.timedOut) { try timed.save(["1": "11"], for: user) }
        }
        await timed.flush(within: Self.short)
        let arrived = Collected<Int>()
        async let flush: Void = {
            await timed.flush(within: .seconds(30))
            arrived.add(["ada", "bob"].count { !store.store.profile(of: $0).assignments.isEmpty })
        }()
        try await Task.sleep(for: .milliseconds(20))
        latch.open()
        await flush
        #expect(arrived.all == [2])
    }

    /// Each failure is reported to one caller, which counts it.
    @Test func failuresAreCountedOnce() async throws {
        let log = MemoryLog()
        let store = WatchedStore(isBroken: true, isRemote: true)
        let timed = store.within(.seconds(30), log: log)
        let client = FlagClient.scripted(
            Script(.split("a", between: "1", "2")),
            configuration: .quiet {
                $0.log = log
                $0.profiles = timed
            })
        #expect(client.user("ada").decide("a").reasons == [.profileUnavailable])
        #expect(client.profileFailures.total + timed.failures.total == 1)
        #expect(log.entries.count { $0.level == .error } == 1)
    }

    /// The decision's limit is shorter than the store's, and expires first.
    @Test func lateLookupsThatFailAreCountedOnce() async throws {
        let (clock, latch) = (ManualClock(), Latch())
        let store = WatchedStore(isBroken: true, isRemote: true) { latch.pass() }
        let client = FlagClient.scripted(
            Script(.split("a", between: "1", "2")),
            configuration: .quiet {
                $0.clock = clock
                $0.profiles = store.within(.seconds(30), log: .silent)
            })
        async let decision = client.user("ada").decide("a", within: .seconds(1))
        try await wait("the lookup has begun") { store.calls.count == 1 && clock.sleeperCount == 1 }
        clock.advance(by: .seconds(1))
        #expect(await decision.reasons == [.profileUnavailable])
        latch.open()
        try await Task.sleep(for: .milliseconds(50))
        #expect(client.profileFailures.total == 1)
    }

    @Test func lateAdditionsThatFailAreLost() async throws {
        let (latch, log) = (Latch(), MemoryLog())
        let store = WatchedStore(isBroken: true, writing: { latch.pass() })
        let timed = store.within(Self.short, calls: 1, log: log)
        #expect(throws: ProfileStoreError.timedOut) { try timed.save(["1": "11"], for: "ada") }
        latch.open()
        try await wait("the addition is lost") { timed.failures.description == "writes lost: 1" }
        #expect(!log.entries.isEmpty && log.entries.allSatisfy { !$0.message.contains("ada") })
    }

    @Test func decisionsSayThatTheProfileIsUnavailable() async {
        let latch = Latch()
        let store = WatchedStore(isRemote: true) { latch.pass() }
        let client = FlagClient.scripted(
            Script(.split("a", between: "1", "2")),
            configuration: .quiet { $0.profiles = store.within(Self.short, log: .silent).cached() })
        #expect(client.user("ada").decide("a").reasons == [.profileUnavailable])
        #expect(await client.user("ada").decide("a", within: .seconds(30)).reasons == [.profileUnavailable])
        #expect(client.profileFailures[.lookupTimedOut] == 2)
        latch.open()
        #expect(store.calls.all.allSatisfy { $0 == "read ada" })
    }

    /// Synchronous decisions block all threads of Swift's executor; the deadline still fires.
    @Test func deadlinesApplyWhenAllTasksAreBlocked() async {
        let latch = Latch()
        let store = WatchedStore { latch.pass() }
        let timed = store.within(Self.short, calls: 4, log: .silent)
        await withTaskGroup { group in
            for _ in 0..<64 {
                group.addTask { #expect(throws: ProfileStoreError.self) { try timed.profile(of: "ada") } }
            }
        }
        latch.open()
    }
}
