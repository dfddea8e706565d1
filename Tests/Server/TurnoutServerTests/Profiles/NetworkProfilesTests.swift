import TestSupport
import TurnoutServer

/// Assignments in a store over a network.
@Suite(.blocking) struct NetworkProfilesTests {
    /// A store in memory that fails, or holds up the first write, as a test wants.
    private final class Store: ProfileStore {
        let users = MemoryProfileStore()
        let latch = Latch()
        private let broken = Locked(false)

        var isRemote: Bool { true }
        var isBroken: Bool {
            get { broken.withLock { $0 } }
            set { broken.withLock { $0 = newValue } }
        }

        func profile(of userID: String) -> UserProfile { users.profile(of: userID) }

        func save(_ assignments: [String: String], for userID: String) throws {
            latch.blockFirst()
            if isBroken { throw ProfileStoreError.unresponsive }
            users.save(assignments, for: userID)
        }
    }

    private let store = Store()

    /// What waits could be written later.
    @Test func savedAssignmentsReplaceThoseThatWait() async throws {
        let network = NetworkProfileStore(store, log: .silent)
        let agent = try TestAgent(decisions: { $0.profiles = network })
        try network.save(["1": "11"], for: "bob")
        try await wait("the writer is held up") { store.latch.hasHeldUp }
        try network.save(["1": "11", "2": "21"], for: "ada")
        let body = #"{"userId": "ada", "experimentBucketMap": {"1": {"variation_id": "12"}}}"#
        #expect(await agent.post("/v1/save", body) == "200 ")
        store.latch.open()
        await network.flush(within: waitLimit)
        #expect(store.users.profile(of: "ada") == UserProfile(["1": "12", "2": "21"]))
        #expect(store.users.profile(of: "bob") == UserProfile(["1": "11"]) && network.bufferedCount == 0)
    }

    @Test func assignmentsAreSavedAfterAWriteOfTheSameUser() async throws {
        let network = NetworkProfileStore(store, log: .silent)
        try network.save(["1": "11"], for: "ada")
        try await wait("the writer is held up") { store.latch.hasHeldUp }
        async let saved: Void = network.awaitSave(["1": "12"], for: "ada")
        try await Task.sleep(for: .milliseconds(20))
        #expect(store.users.profile(of: "ada") == UserProfile())
        store.latch.open()
        try await saved
        #expect(store.users.profile(of: "ada") == UserProfile(["1": "12"]))
    }

    @Test func whatWaitsStaysWhenASaveFails() async throws {
        let network = NetworkProfileStore(store, log: .silent)
        try network.save(["1": "11"], for: "bob")
        try await wait("the writer is held up") { store.latch.hasHeldUp }
        try network.save(["1": "11"], for: "ada")
        store.isBroken = true
        await #expect(throws: ProfileStoreError.unresponsive) { try await network.awaitSave(["2": "21"], for: "ada") }
        store.isBroken = false
        store.latch.open()
        await network.flush(within: waitLimit)
        #expect(store.users.profile(of: "ada") == UserProfile(["1": "11"]))
    }

    /// A retry may be the last call for hours.
    @Test func aStoreThatHasWorkedAgainIsNoProblem() async throws {
        let clock = ManualClock()
        let profiles = ObservedProfiles("standard", network: store, clock: clock, log: .silent)
        let report = ObservedProfiles.report([profiles])
        store.latch.open()
        store.isBroken = true
        try profiles.store.save(["1": "11"], for: "ada")
        try await wait("the writer pauses") { clock.sleeperCount == 1 }
        #expect(report.impairment?()?.hasPrefix("standard: ") == true)
        store.isBroken = false
        clock.advance(by: .seconds(1))
        try await wait("the retry") { (profiles.store as? NetworkProfileStore)?.bufferedCount == 0 }
        #expect(report.impairment?() != nil)
        clock.advance(by: .seconds(5))
        #expect(report.impairment?() == nil)
    }
}
