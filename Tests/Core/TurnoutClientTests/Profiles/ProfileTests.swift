import TestSupport
import Testing
import TurnoutClient
import TurnoutTestKit

/// What users were assigned is remembered, with as few calls as possible.
@Suite struct ProfileTests {
    /// Writes down the calls; fails, or waits, if told to.
    private final class WatchedStore: ProfileStore {
        let store = MemoryProfileStore()
        let calls = Collected<String>()
        let isBroken: Bool
        let isRemote: Bool
        let delay: @Sendable () -> Void

        init(isBroken: Bool = false, isRemote: Bool = false, delay: @escaping @Sendable () -> Void = {}) {
            self.isBroken = isBroken
            self.isRemote = isRemote
            self.delay = delay
        }

        func profile(of userID: String) throws -> UserProfile {
            calls.add("read \(userID)")
            delay()
            if isBroken { throw Trouble() }
            return store.profile(of: userID)
        }

        func remember(_ assignments: [String: String], for userID: String) throws {
            calls.add("add \(assignments.count) to \(userID)")
            if isBroken { throw Trouble() }
            store.remember(assignments, for: userID)
        }
    }

    private static let script = Script(.split("a", between: "1", "2"), .split("b", between: "3", "4"))

    private func client(_ store: some ProfileStore, _ change: (inout ClientConfiguration) -> Void = { _ in }) -> Client
    {
        Client.scripted(
            Self.script,
            configuration: .quiet {
                $0.profiles = store
                change(&$0)
            })
    }

    @Test func usersKeepTheirVariationWhenTrafficChanges() throws {
        let client = client(MemoryProfileStore())
        let users = (0..<50).map { client.user("user \($0)") }
        let before = users.map { $0.decide("a").variationKey }
        var next = Script(.split("a", between: "2", "1"), .split("b", between: "3", "4"))
        next.revision = "2"
        // The ids of variations follow the order, and so do the assignments.
        try client.update(to: next.datafile)
        let after = users.map { $0.decide("a") }
        #expect(after.allSatisfy { $0.stage == .remembered })
        let renamed = ["1": "2", "2": "1"]
        #expect(after.map(\.variationKey) == before.map { $0.flatMap { renamed[$0] } })
    }

    @Test func profilesAreLookedUpOnceAndAddedToOnce() async {
        let store = WatchedStore()
        let client = client(store)
        _ = client.user("ada").decideAll()
        #expect(store.calls.all == ["read ada", "add 2 to ada"])
        _ = client.user("ada").decideAll()
        #expect(store.calls.all.dropFirst(2) == ["read ada"])
        _ = client.user("bob").decide("a")
        #expect(store.calls.all.dropFirst(3) == ["read bob", "add 1 to bob"])
        _ = await client.user("eve").decideAll(within: .seconds(300))
        #expect(store.calls.all.dropFirst(5) == ["read eve", "add 2 to eve"])
    }

    @Test func whatNeedsNoProfileAsksForNone() async {
        let store = WatchedStore()
        let client = client(store)
        let ada = client.user("ada")
        _ = ada.decide("unknown")
        _ = ada.decide("a", options: .ignoreUserProfileService)
        _ = ada.decideAll(options: .ignoreUserProfileService)
        _ = await ada.decide("a", within: .seconds(300), options: .ignoreUserProfileService)
        _ = ada.decide([])
        #expect(store.calls.all.isEmpty)
    }

    @Test func brokenStoresDoNotStopDecisions() async {
        let log = MemoryLog()
        let store = WatchedStore(isBroken: true)
        let client = client(store) { $0.log = log }
        #expect(client.user("ada").decide("a").stage == .bucketed)
        #expect(await client.user("ada").decide("a", within: .seconds(300)).stage == .bucketed)
        #expect(client.user("ada").decideAll().count == 2)
        #expect(log.entries.filter { $0.level == .error }.count == 6)
        #expect(log.entries.allSatisfy { !$0.message.contains("ada") })
    }

    @Test func forcedDecisionsAreNotRemembered() {
        let store = MemoryProfileStore()
        let client = client(store)
        var ada = client.user("ada")
        ada.forcedDecisions[DecisionContext(flag: "a")] = "1"
        _ = ada.decide("a")
        client.forceVariation("3", inExperiment: "b", forUser: "ada")
        _ = ada.decide("b")
        #expect(store.profile(of: "ada") == UserProfile())
    }

    @Test func manyTasksLoseNoAssignments() async {
        let store = MemoryProfileStore()
        let client = client(store)
        await withTaskGroup { group in
            for flag in ["a", "b"] {
                group.addTask { for number in 0..<500 { _ = client.user("user \(number)").decide(flag) } }
            }
        }
        #expect((0..<500).allSatisfy { store.profile(of: "user \($0)").assignments.count == 2 })
    }

    // MARK: Stores on other machines

    @Test func remoteStoresAreWaitedFor() async {
        let store = WatchedStore(isRemote: true)
        let client = client(store)
        let first = await client.user("ada").decide("a", within: .seconds(300))
        let second = await client.user("ada").decide("a", within: .seconds(300))
        #expect(first.stage == .bucketed && second.stage == .remembered)
        #expect(store.calls.all == ["read ada", "add 1 to ada", "read ada"])
    }

    @Test func lateProfilesAreEmpty() async {
        let (clock, turnstile) = (ManualClock(), Turnstile())
        let store = WatchedStore(isRemote: true) { turnstile.pass() }
        let client = client(store) { $0.clock = clock }
        let known = client.project?.flag("a")?.experiments.first?.variations.last?.id ?? ""
        store.store.remember([client.project?.experiment("a")?.id ?? "": known], for: "ada")
        async let decision = client.user("ada").decide("a", within: .seconds(5))
        await eventually("the store is asked") { store.calls.count == 1 && clock.sleeperCount == 1 }
        clock.advance(by: .seconds(5))
        #expect(await decision.stage == .bucketed)
        turnstile.open()
    }

    /// Two reads wait for each other's threads; Swift's tasks go on meanwhile.
    @Test func remoteStoresBlockNoTasks() async {
        let (clock, turnstile) = (ManualClock(), Turnstile())
        let store = WatchedStore(isRemote: true) { turnstile.pass() }
        let client = client(store) { $0.clock = clock }
        let decided = Collected<DecisionStage>()
        await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    decided.add(await client.user("user \(number)").decide("a", within: .seconds(5)).stage)
                }
            }
            await eventually("everybody waits") { store.calls.count == 20 }
            #expect(decided.count == 0)
            turnstile.open()
        }
        #expect(decided.all.allSatisfy { $0 == .bucketed } && decided.count == 20)
    }

    @Test func storesInMemoryAreBounded() {
        let store = MemoryProfileStore(users: 160)
        for number in 0..<10_000 { store.remember(["1": "2"], for: "user \(number)") }
        #expect((1...160).contains(store.count))
        store.remember(["1": "2"], for: "ada")
        store.forget("ada")
        #expect(store.profile(of: "ada") == UserProfile())
    }
}
