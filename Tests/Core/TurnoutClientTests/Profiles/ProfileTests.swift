/// Assignments are stored, with as few calls as possible.
@Suite struct ProfileTests {
    private static let script = Script(.split("a", between: "1", "2"), .split("b", between: "3", "4"))

    private func client(_ store: some ProfileStore, _ change: (inout ClientConfiguration) -> Void = { _ in })
        -> FlagClient
    {
        FlagClient.scripted(
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
        // Variation ids follow the order of the variations, and so do the assignments.
        try client.update(to: next.datafile)
        let after = users.map { $0.decide("a") }
        #expect(after.allSatisfy { $0.stage == .storedAssignment })
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
        _ = await client.user("eve").decideAll(within: .seconds(30))
        #expect(store.calls.all.dropFirst(5) == ["read eve", "add 2 to eve"])
    }

    @Test func otherDecisionsReadNoProfile() async {
        let store = WatchedStore()
        let client = client(store)
        let ada = client.user("ada")
        _ = ada.decide("unknown")
        _ = ada.decide("a", options: .ignoreUserProfileService)
        _ = ada.decideAll(options: .ignoreUserProfileService)
        _ = await ada.decide("a", within: .seconds(30), options: .ignoreUserProfileService)
        _ = ada.decide([])
        #expect(store.calls.all.isEmpty)
    }

    @Test func brokenStoresDoNotStopDecisions() async {
        let log = MemoryLog()
        let store = WatchedStore(isBroken: true)
        let client = client(store) { $0.log = log }
        #expect(client.user("ada").decide("a").stage == .bucketed)
        #expect(await client.user("ada").decide("a", within: .seconds(30)).stage == .bucketed)
        #expect(client.user("ada").decideAll().count == 2)
        #expect(store.calls.all == ["read ada", "read ada", "read ada"])
        #expect(client.profileFailures[.lookupFailed] == 3 && client.profileFailures.total == 3)
        #expect(log.entries.filter { $0.level == .error }.count == 2)
        #expect(log.entries.allSatisfy { !$0.message.contains("ada") })
    }

    @Test func forcedDecisionsAreNotStored() {
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
        await concurrently(["a", "b"]) { flag in
            for number in 0..<500 { _ = client.user("user \(number)").decide(flag) }
        }
        #expect((0..<500).allSatisfy { store.profile(of: "user \($0)").assignments.count == 2 })
    }

    // MARK: Remote stores

    @Test func remoteStoresAreAwaited() async {
        let store = WatchedStore(isRemote: true)
        let client = client(store)
        let first = await client.user("ada").decide("a", within: .seconds(30))
        let second = await client.user("ada").decide("a", within: .seconds(30))
        #expect(first.stage == .bucketed && second.stage == .storedAssignment)
        #expect(store.calls.all == ["read ada", "add 1 to ada", "read ada"])
    }

    @Test func lateProfilesAreUnavailable() async throws {
        let (clock, latch) = (ManualClock(), Latch())
        let store = WatchedStore(isRemote: true) { latch.pass() }
        let client = client(store) { $0.clock = clock }
        async let late = client.user("ada").decide("a", within: .seconds(5))
        try await wait("the store is called") { store.calls.count == 1 && clock.sleeperCount == 1 }
        clock.advance(by: .seconds(5))
        let decision = await late
        #expect(decision.stage == .bucketed && decision.reasons == [.profileUnavailable])
        #expect(client.profileFailures[.lookupTimedOut] == 1)
        latch.open()
        #expect(store.calls.all == ["read ada"])
    }

    @Test func decisionsWithoutTimeAreMadeWithoutTheProfile() async {
        let store = WatchedStore(isRemote: true)
        let decision = await client(store).user("ada").decide("a", within: .zero)
        #expect(decision.reasons == [.profileUnavailable] && store.calls.count == 0)
    }

    /// After a failed read nothing is written, since it might differ from the stored assignment.
    @Test func unreadProfilesAreNotOverwritten() async throws {
        let store = WatchedStore()
        let client = client(store)
        let experiment = try #require(client.project?.experiment("a"))
        let bucketed = try #require(client.user("ada").decide("a", options: .ignoreUserProfileService).variation)
        let other = try #require(experiment.variations.first { $0.id != bucketed.id })
        store.store.save([experiment.id: other.id], for: "ada")
        store.isBroken = true
        let ada = client.user("ada")
        #expect(ada.decide("a").variationKey == bucketed.key)
        #expect(ada.decideAll()["a"]?.reasons == [.profileUnavailable])
        #expect(await ada.decide("a", within: .seconds(30)).reasons == [.profileUnavailable])
        #expect(ada.decide("a").assignment == nil)
        #expect(client.explain("a", for: ada.user)?.description.contains("profile is unavailable") == true)
        store.isBroken = false
        #expect(ada.decide("a").variationKey == other.key && ada.decide("a").reasons.isEmpty)
        #expect(store.calls.all.allSatisfy { $0 == "read ada" })
    }

    /// All traffic goes to one variation: users with a stored assignment keep theirs, and move once the store is empty.
    @Test(
        arguments: [
            { $0 }, { CachedProfileStore($0) }, { WriteBehindProfileStore($0) }, { $0.applying() },
            { $0.applying(ProfilePolicy(age: .zero, deadline: .seconds(30), bufferedAssignments: 0)) },
        ] as [@Sendable (any ProfileStore) -> any ProfileStore])
    func usersStayUntilTheStoreIsEmptied(_ wrap: @Sendable (any ProfileStore) -> any ProfileStore) async throws {
        let memory = MemoryProfileStore()
        let users = (0..<50).map { "user \($0)" }
        func decide(_ client: FlagClient) -> [String?] { users.map { client.user($0).decide("a").variationKey } }
        // The users are assigned before the store is wrapped and traffic changes.
        let before = decide(client(memory))
        let client = client(wrap(memory))
        var next = Self.script
        next.revision = "2"
        let shifted = String(decoding: next.datafile, as: UTF8.self)
            .replacing(/"endOfRange": *[0-9]+/, with: #""endOfRange": 10000"#)
        try client.update(to: Array(shifted.utf8))
        #expect(decide(client) == before && Set(before).count == 2)
        for user in users {
            #expect(await client.user(user).decide("a", within: .seconds(30)).stage == .storedAssignment)
        }
        await client.close(within: .seconds(30))

        for user in users { memory.forget(user) }
        let other = FlagClient.scripted(Self.script, configuration: .quiet { $0.profiles = CachedProfileStore(memory) })
        try other.update(to: Array(shifted.utf8))
        #expect(decide(other) == users.map { _ in "1" })
    }

    /// Two reads wait for each other's threads; Swift's tasks continue meanwhile.
    @Test func remoteStoresBlockNoTasks() async throws {
        let (clock, latch) = (ManualClock(), Latch())
        let store = WatchedStore(isRemote: true) { latch.pass() }
        let client = client(store) { $0.clock = clock }
        let decided = Collected<DecisionStage>()
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    decided.add(await client.user("user \(number)").decide("a", within: .seconds(5)).stage)
                }
            }
            try await wait("all calls wait") { store.calls.count == 20 }
            #expect(decided.count == 0)
            latch.open()
        }
        #expect(decided.all.allSatisfy { $0 == .bucketed } && decided.count == 20)
    }

    @Test func storesInMemoryAreBounded() {
        let store = MemoryProfileStore(users: 640)
        for number in 0..<10_000 { store.save(["1": "2"], for: "user \(number)") }
        #expect((1...640).contains(store.count))
        store.save(["1": "2"], for: "ada")
        store.forget("ada")
        #expect(store.profile(of: "ada") == UserProfile())
    }
}
