/// How clients use a custom profile service.
@Suite(.ownThread) struct ProfileUseTests {
    private let setup: TestSetup
    private let moved = ShopDatafile(sticky: "62").data

    init() throws { setup = try TestSetup() }

    private func variation(_ user: String = "ada") throws -> String {
        try setup.client.getVariationKey(experimentKey: "sticky", userId: user)
    }

    @Test func assignmentsAreStoredAndReused() throws {
        #expect(try variation() == "first" && setup.profiles.journal.lines == ["lookup ada", "save ada"])
        try setup.client.start(datafile: moved, doFetchDatafileBackground: false)
        #expect(try variation() == "first" && setup.profiles.journal.lines.count == 3, "nothing new to save")
        #expect(try variation("bob") == "second")
    }

    @Test func severalFlagsNeedOneLookupAndOneSave() {
        _ = setup.user().decideAll()
        #expect(setup.profiles.journal.lines == ["lookup ada", "save ada"])
        #expect(setup.profiles.assignments(of: "ada") == ["3": "31"])
        _ = setup.user("bob").decide(keys: ["tested", "held"], options: [.ignoreUserProfileService])
        #expect(setup.profiles.journal.lines.count == 2)
    }

    @Test func unknownFlagsDoNotCauseALookup() {
        _ = setup.user().decide(key: "x")
        #expect(setup.profiles.journal.lines.isEmpty)
    }

    @Test func onlyBucketedDecisionsAreStored() throws {
        _ = setup.user().decide(keys: ["rolled", "empty", "held", "bandit"])
        _ = setup.user("skeptic").decide(key: "tested")
        #expect(setup.client.setForcedVariation(experimentKey: "sticky", userId: "ada", variationKey: "second"))
        #expect(try variation() == "second")
        #expect(setup.profiles.journal.lines.allSatisfy { $0.hasPrefix("lookup") })
    }

    @Test(arguments: 0..<9) func malformedProfilesAreIgnored(_ index: Int) throws {
        let nonsense: [[String: Any]] = [
            [:], ["user_id": 1], ["experiment_bucket_map": "text"], ["experiment_bucket_map": ["6": "62"]],
            ["experiment_bucket_map": ["6": ["variation_id": 62]]], ["experiment_bucket_map": ["6": [:]]],
            ["experiment_bucket_map": [6: ["variation_id": "62"]]], ["experiment_bucket_map": NSNull()],
            ["experiment_bucket_map": ["6": ["variation_id": "gone"]], "user_id": "somebody else"],
        ]
        setup.profiles.nonsense = nonsense[index]
        #expect(try variation() == "first")
        #expect(setup.user().decide(key: "tested").variationKey == "yes")
        #expect(setup.profiles.assignments(of: "ada")["3"] == "31")
    }

    @Test func aServiceMayCallTheClient() throws {
        let client = setup.client
        let depth = Counter()
        setup.profiles.onCall = {
            guard depth.value < 3 else { return }
            depth.add()
            #expect(client.createUserContext(userId: "ada").decide(key: "tested").variationKey == "yes")
            _ = try? client.getVariationKey(experimentKey: "sticky", userId: "ada")
            try? client.track(eventKey: "purchase", userId: "ada")
            client.close()
        }
        #expect(try variation() == "first")
        setup.profiles.onCall = {}
        #expect(setup.profiles.assignments(of: "ada") == ["3": "31", "6": "61"])
    }

    @Test func aSlowServiceBlocksNoTaskThread() async {
        let (setup, running, most) = (setup, Counter(), 8)
        // Blocks each call until all are running, which are more than there are threads for tasks.
        setup.profiles.onCall = {
            running.add()
            try? waitBlocking("all calls") { running.value == most }
        }
        await concurrently(0..<most) { index in _ = await setup.user("u\(index)").decideAsync(key: "rolled") }
        #expect(running.value == most)
    }
}
