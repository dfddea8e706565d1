import Foundation

/// Write-behind calls do not wait, and losses are reported.
@Suite struct WriteBehindProfileStoreTests {
    /// The deadline of a policy applies to lookups, not to the buffer's writes.
    @Test func aLateAssignmentIsWrittenOnce() async throws {
        let latch = Latch()
        let store = WatchedStore(writing: { latch.pass() })
        let buffered = store.applying(ProfilePolicy(deadline: .milliseconds(1)), log: .silent)
        try buffered.save(["1": "11"], for: "ada")
        try await wait("the addition has begun") { store.calls.count == 1 }
        await buffered.flush(within: .milliseconds(20))
        #expect(buffered.bufferedCount == 1)
        latch.open()
        await buffered.flush(within: .seconds(30))
        #expect(store.calls.count == 1 && buffered.bufferedCount == 0)
        #expect(buffered.failures.total == 0)
    }

    @Test func additionsAreMergedAndReadAtOnce() async throws {
        let latch = Latch()
        let store = WatchedStore(isRemote: true, writing: { latch.pass() })
        let buffered = WriteBehindProfileStore(store, log: .silent)
        try buffered.save(["1": "11"], for: "ada")
        try await wait("the writer is at work") { store.calls.count == 1 }
        for number in 0..<100 { try buffered.save(["2": "\(number)", "3": "31"], for: "bob") }
        try buffered.save(["1": "12"], for: "ada")
        try buffered.save([:], for: "eve")
        #expect(buffered.waitingCount == 3)
        #expect(try buffered.profile(of: "bob") == UserProfile(["2": "99", "3": "31"]))
        #expect(try buffered.profiles(of: ["ada", "bob"])["ada"] == UserProfile(["1": "12"]))
        #expect(buffered.profileInMemory(of: "ada") == nil)
        latch.open()
        await buffered.flush(within: .seconds(30))
        #expect(buffered.waitingCount == 0)
        #expect(store.store.profile(of: "ada") == UserProfile(["1": "12"]))
        #expect(store.store.profile(of: "bob") == UserProfile(["2": "99", "3": "31"]))
        #expect(store.calls.all.filter { $0 == "add 2 to bob" }.count == 1)
        #expect(buffered.failures.total == 0)
    }

    @Test func aRemoteStoreGetsSeveralUsersAtTheSameTime() async throws {
        let (first, others) = (Latch(), Latch())
        let store = WatchedStore(isRemote: true, writing: { first.hasHeldUp ? others.pass() : first.blockFirst() })
        let buffered = WriteBehindProfileStore(store, log: .silent)
        try buffered.save(["1": "11"], for: "ada")
        try await wait("the writer is at work") { first.hasHeldUp }
        for number in 0..<20 { try buffered.save(["1": "11"], for: "\(number)") }
        first.open()
        try await wait("other writes are in progress") { store.calls.count == 1 + 8 }
        others.open()
        await buffered.flush(within: waitLimit)
        #expect(buffered.waitingCount == 0 && store.calls.count == 21)
    }

    /// A store that was out of reach gets nothing about a user that was forgotten meanwhile.
    @Test func aForgottenUserIsNotWrittenLater() async throws {
        let (clock, store) = (ManualClock(), WatchedStore(isBroken: true))
        let buffered = WriteBehindProfileStore(store, clock: clock, log: .silent)
        try buffered.save(["1": "11"], for: "ada")
        try buffered.save(["1": "12"], for: "bob")
        try await wait("writing failed") { clock.sleeperCount == 1 }
        store.isBroken = false
        try buffered.forget("ada")
        clock.advance(by: .seconds(60))
        try await wait("everything is written") { buffered.waitingCount == 0 }
        #expect(store.store.profile(of: "ada") == UserProfile())
        #expect(store.store.profile(of: "bob") == UserProfile(["1": "12"]))
    }

    @Test func aUserIsForgottenAfterTheWriteInProgress() async throws {
        let latch = Latch()
        let store = WatchedStore(writing: { latch.pass() })
        let buffered = WriteBehindProfileStore(store, log: .silent)
        try buffered.save(["1": "11"], for: "ada")
        try await wait("the writer is at work") { store.calls.count == 1 }
        let forgetting = Task { try await BlockingCall.result { try buffered.forget("ada") } }
        try await wait("the user is removed") { buffered.waitingCount == 0 }
        #expect(store.calls.all == ["add 1 to ada", "forget ada"])
        latch.open()
        try await forgetting.value
        #expect(store.calls.all == ["add 1 to ada", "forget ada", "forget ada"])
        #expect(store.store.profile(of: "ada") == UserProfile())
    }

    /// Another user's write, which may not end, delays nothing.
    @Test func forgettingWaitsForNoOtherUser() async throws {
        let latch = Latch()
        let store = WatchedStore(writing: { latch.pass() })
        let buffered = WriteBehindProfileStore(store, log: .silent)
        try buffered.save(["1": "11"], for: "bob")
        try await wait("the writer is at work") { store.calls.count == 1 }
        try buffered.save(["1": "11"], for: "ada")
        try buffered.forget("ada")
        #expect(store.calls.all == ["add 1 to bob", "forget ada", "forget ada"])
        latch.open()
        await buffered.flush(within: .seconds(30))
        #expect(store.calls.count == 3)
    }

    @Test func aStoreThatCannotForgetGetsWhatIsQueued() async throws {
        struct Store: ProfileStore {
            let store = MemoryProfileStore()
            func profile(of userID: String) -> UserProfile { store.profile(of: userID) }
            func save(_ assignments: [String: String], for userID: String) { store.save(assignments, for: userID) }
        }
        let store = Store()
        let buffered = WriteBehindProfileStore(store, log: .silent)
        try buffered.save(["1": "11"], for: "ada")
        #expect(throws: ProfileStoreError.cannotForget) { try buffered.forget("ada") }
        await buffered.flush(within: .seconds(30))
        #expect(store.profile(of: "ada") == UserProfile(["1": "11"]))
    }

    @Test func failedAdditionsAreRetried() async throws {
        let (clock, store) = (ManualClock(), WatchedStore(isBroken: true))
        let buffered = WriteBehindProfileStore(store, clock: clock, log: .silent)
        try buffered.save(["1": "11"], for: "ada")
        for failures in 1...3 {
            try await wait("writing failed") { buffered.failures[.writeFailed] == failures && clock.sleeperCount == 1 }
            clock.advance(by: .seconds(30))
        }
        try await wait("the writer pauses") { clock.sleeperCount == 1 }
        store.isBroken = false
        clock.advance(by: .seconds(60))
        try await wait("everything is written") { buffered.waitingCount == 0 }
        #expect(store.store.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(buffered.failures[.writeLost] == 0)
    }

    @Test func assignmentsBeyondTheBufferAreLostAndReported() async throws {
        let (latch, lost) = (Latch(), Collected<Int>())
        let store = WatchedStore(writing: { latch.pass() })
        let buffered = WriteBehindProfileStore(store, limit: 3, log: .silent) { lost.add($0) }
        try buffered.save(["1": "11", "2": "21"], for: "ada")
        #expect(throws: ProfileStoreError.full) { try buffered.save(["1": "11", "2": "21"], for: "bob") }
        try buffered.save(["1": "12", "3": "31"], for: "ada")
        #expect(throws: ProfileStoreError.full) { try buffered.save(["1": "11"], for: "bob") }
        #expect(lost.all == [2, 1] && buffered.failures.total == 0, "the caller counts errors that it receives")
        latch.open()
        await buffered.flush(within: .seconds(30))
        #expect(store.store.profile(of: "ada") == UserProfile(["1": "12", "2": "21", "3": "31"]))
    }

    @Test func assignmentsUnwrittenAtReleaseAreCountedAsLost() async throws {
        let (clock, lost) = (ManualClock(), Collected<Int>())
        let store = WatchedStore(isBroken: true)
        var buffered = Optional(WriteBehindProfileStore(store, clock: clock, log: .silent) { lost.add($0) })
        try buffered?.save(["1": "11"], for: "ada")
        try await wait("the writer pauses") { clock.sleeperCount == 1 }
        buffered = nil
        try await wait("the loss is reported") { lost.all == [1] }
        clock.advance(by: .seconds(30))
    }

    @Test func closingAClientWritesEverything() async throws {
        let store = WatchedStore(isRemote: true)
        let client = FlagClient.scripted(
            Script(.split("a", between: "1", "2")),
            configuration: .quiet { $0.profiles = store.applying(ProfilePolicy(deadline: .seconds(30)), log: .silent) })
        for number in 0..<500 { _ = client.user("user \(number)").decide("a") }
        await client.close(within: .seconds(30))
        #expect((0..<500).allSatisfy { store.store.profile(of: "user \($0)").assignments.count == 1 })
    }

    /// A flush does not wait for a pause to end, and gives up if the store does not recover.
    @Test func flushesMakeThreeAttempts() async throws {
        let (clock, store, log) = (ManualClock(), WatchedStore(isBroken: true), MemoryLog())
        let buffered = WriteBehindProfileStore(store, clock: clock, log: log)
        try buffered.save(["1": "11"], for: "ada")
        try await wait("the writer pauses") { clock.sleeperCount == 1 }
        let flushed = Collected<Bool>()
        let flush = Task {
            await buffered.flush(within: .seconds(3_600))
            flushed.add(true)
        }
        try await wait("the flush is over") {
            clock.advance(by: .seconds(1))
            return flushed.count == 1
        }
        await flush.value
        #expect(buffered.failures[.writeFailed] >= 4 && buffered.waitingCount == 1)
        #expect(log.entries.contains { $0.message.contains("1 assignments are not written yet") })
    }

    @Test func flushesEndAtTheirLimit() async throws {
        let (clock, latch) = (ManualClock(), Latch())
        let store = WatchedStore(writing: { latch.pass() })
        let buffered = WriteBehindProfileStore(store, clock: clock, log: .silent)
        try buffered.save(["1": "11"], for: "ada")
        async let flush: Void = buffered.flush(within: .seconds(10))
        try await wait("the flush waits") { clock.sleeperCount == 1 }
        #expect(buffered.flushCount == 1)
        clock.advance(by: .seconds(10))
        await flush
        #expect(buffered.waitingCount == 1 && buffered.flushCount == 0, "nothing of the flush is left")
        latch.open()
        try await wait("the writer continues") { buffered.waitingCount == 0 }
    }

    @Test func manyThreadsLoseNothing() async throws {
        let store = WatchedStore()
        let buffered = WriteBehindProfileStore(store, limit: 1_000_000, log: .silent)
        await concurrently(0..<8) { task in
            for number in 0..<500 { try? buffered.save(["\(task)": "\(number)"], for: "user \(number % 10)") }
        }
        await buffered.flush(within: .seconds(30))
        for user in 0..<10 {
            let expected = Dictionary(uniqueKeysWithValues: (0..<8).map { ("\($0)", "\(490 + user)") })
            #expect(store.store.profile(of: "user \(user)") == UserProfile(expected))
        }
    }

    @Test func anExitWritesWhatIsQueued() async {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            struct Store: ProfileStore {
                func profile(of userID: String) -> UserProfile { UserProfile() }
                func save(_ assignments: [String: String], for userID: String) {
                    usleep(20_000)
                    let line = Array("saved \(userID)\n".utf8)
                    _ = write(1, line, line.count)
                }
            }
            let buffered = WriteBehindProfileStore(Store())
            for number in 0..<5 { try buffered.save(["1": "11"], for: "\(number)") }
            exit(0)
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect((0..<5).allSatisfy { output.contains("saved \($0)\n") }, "\(output)")
    }

    @Test func anExitLogsWhatIsLost() async {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            let store = WatchedStore(writing: { sleep(3_600) })
            let buffered = WriteBehindProfileStore(store)
            for number in 0..<5 { try buffered.save(["1": "11"], for: "\(number)") }
            exit(0)
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("5 assignments are lost, because the process ends"), "\(errors)")
    }

    // MARK: Pending assignments

    private let ended = Collected<Int>()
    private var pending = PendingAssignments(
        backoff: Backoff(first: .seconds(1), longest: .seconds(30), random: MidpointRandomSource()))

    /// Writes the next user's assignments, and returns both.
    private mutating func writeNext() -> String? {
        guard let (user, assignments) = pending.next(1).first else { return nil }
        for end in pending.written(assignments, for: user) { end() }
        let texts = assignments.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(user.text) \(texts.joined(separator: " "))"
    }

    @Test mutating func changesDuringAWriteAreWrittenAgain() throws {
        _ = pending.add(["1": "a", "2": "b"], for: "ada", limit: 10)
        let next = pending.next(1).first
        let (user, assignments) = try #require(next)
        _ = pending.add(["2": "c"], for: "ada", limit: 10)
        let number = pending.flush { [ended] in ended.add(1) }
        #expect(number != nil)
        for end in pending.written(assignments, for: user) { end() }
        #expect(ended.count == 0)
        #expect(pending.count == 1)
        let written = writeNext()
        #expect(written == "ada 2=c")
        #expect(ended.count == 1)
    }

    @Test mutating func afterAFailureAnotherUserIsWrittenFirst() throws {
        _ = pending.add(["1": "a"], for: "ada", limit: 10)
        _ = pending.add(["1": "b"], for: "bob", limit: 10)
        let next = pending.next(1).first
        let user = try #require(next).user
        let pause = pending.failed(for: [user]).pause
        #expect(pause == .seconds(1))
        let written = [writeNext(), writeNext()]
        #expect(written == ["bob 1=b", "ada 1=a"])
    }
}
