/// A sequence of decisions follows what a user gets.
@Suite struct DecisionUpdatesTests {
    private let sent = RecordedEvents()

    private static func datafile(_ revision: Int, _ lines: ScriptLine...) -> [UInt8] {
        var script = Script(lines)
        script.revision = "\(revision)"
        return script.datafile
    }

    private func client(_ datafile: [UInt8]) throws -> FlagClient {
        try FlagClient(datafile: datafile, .quiet { $0.eventStore = sent })
    }

    @Test func theCurrentDecisionIsFirst() async throws {
        let client = try client(Self.datafile(1, .always("flag", "a")))
        var updates = client.user("ada").decisions(of: "flag").makeAsyncIterator()
        #expect(await updates.next()?.variationKey == "a")
        #expect(sent.impressions.map(\.variationKey) == ["a"])
    }

    @Test func newDatafilesThatChangeTheDecisionAreFollowed() async throws {
        let client = try client(Self.datafile(1, .always("flag", "a", variables: ["v": 1])))
        var updates = client.user("ada").decisions(of: "flag").makeAsyncIterator()
        #expect(await updates.next()?.variables.integer("v") == 1)
        // Another flag does not matter.
        try client.update(to: Self.datafile(2, .off("other"), .always("flag", "a", variables: ["v": 1])))
        try client.update(to: Self.datafile(3, .always("flag", "a", variables: ["v": 2])))
        #expect(await updates.next()?.variables.integer("v") == 2)
        try client.update(to: Self.datafile(4, .off("flag", variables: ["v": 2])))
        #expect(await updates.next()?.isEnabled == false)
        try client.update(to: Self.datafile(5))
        #expect(await updates.next()?.stage == .flagNotFound)
        #expect(sent.impressions.map(\.variationKey) == ["a", "a", "off"])
    }

    @Test func equalDecisionsAreNotRepeatedAndHaveNoEffects() async throws {
        let client = try client(Self.datafile(1, .always("flag", "a")))
        let received = Collected<String>()
        let reading = Task {
            for await decision in client.user("ada").decisions(of: "flag") { received.add(decision.variationKey ?? "") }
        }
        try await wait("the first decision") { received.count == 1 }
        for revision in 2...20 {
            try client.update(to: Self.datafile(revision, .off("other"), .always("flag", "a")))
            await Task.yield()
        }
        try client.update(to: Self.datafile(21, .always("flag", "b")))
        try await wait("the changed decision") { received.count == 2 }
        #expect(received.all == ["a", "b"] && sent.impressions.map(\.variationKey) == ["a", "b"])
        await client.close()
        await reading.value
    }

    @Test func aSequenceOfAClosedClientEndsAfterTheCurrentDecision() async throws {
        let client = try client(Self.datafile(1, .always("flag", "a")))
        await client.close()
        var updates = client.user("ada").decisions(of: "flag").makeAsyncIterator()
        #expect(await updates.next()?.variationKey == "a")
        #expect(await updates.next() == nil)
    }

    @Test func aSlowReaderGetsTheNewestDecision() async throws {
        let client = try client(Self.datafile(1, .always("flag", "v1")))
        var updates = client.user("ada").decisions(of: "flag").makeAsyncIterator()
        #expect(await updates.next()?.variationKey == "v1")
        for revision in 2...9 { try client.update(to: Self.datafile(revision, .always("flag", "v\(revision)"))) }
        #expect(await updates.next()?.variationKey == "v9")
        #expect(sent.impressions.count == 2)
    }

    @Test func startingAClientIsAChange() async throws {
        let client = FlagClient(.quiet { $0.datafiles = .memory(Self.datafile(1, .always("flag", "a"))) })
        var updates = client.user("ada").decisions(of: "flag").makeAsyncIterator()
        #expect(await updates.next()?.stage == .notReady)
        try await client.start()
        #expect(await updates.next()?.variationKey == "a")
    }

    @Test func forcedVariationsAreChanges() async throws {
        let client = try ExampleShop.client()
        var updates = client.user("grace", attributes: ["country": "US", "orders": 12]).decisions(
            of: "checkout_redesign"
        ).makeAsyncIterator()
        let first = try #require(await updates.next()?.variationKey)
        let other = first == "two_step" ? "one_page" : "two_step"
        #expect(client.forceVariation(other, inExperiment: "checkout_test", forUser: "grace"))
        #expect(await updates.next()?.variationKey == other)
        client.forceVariation(nil, inExperiment: "checkout_test", forUser: "grace")
        #expect(await updates.next()?.variationKey == first)
    }

    @Test func optionsApplyToEachDecision() async throws {
        let client = try client(Self.datafile(1, .always("flag", "a")))
        var updates = client.user("ada").decisions(of: "flag", options: [.disableDecisionEvent, .includeReasons])
            .makeAsyncIterator()
        #expect(await updates.next()?.reasons.isEmpty == false)
        #expect(sent.all.isEmpty)
    }

    @Test func cancellationEndsTheSequence() async throws {
        let client = try client(Self.datafile(1, .always("flag", "a")))
        let received = Collected<Decision>()
        let reading = Task { for await decision in client.user("ada").decisions(of: "flag") { received.add(decision) } }
        try await wait("the first decision") { received.count == 1 }
        reading.cancel()
        await reading.value
    }

    @Test func theSequenceEndsWithItsClient() async throws {
        weak var released: FlagClient?
        var updates: DecisionUpdates.Iterator
        do {
            let client = try client(Self.datafile(1, .always("flag", "a")))
            released = client
            updates = client.decisions(of: "flag", for: User("ada")).makeAsyncIterator()
            #expect(await updates.next() != nil)
        }
        #expect(await updates.next() == nil)
        #expect(released == nil)
    }

    // MARK: The preview of a view's first frame

    @Test func aPreviewStoresNoAssignmentBeforeTheImpression() async throws {
        let store = MemoryProfileStore()
        let client = try FlagClient(
            datafile: ExampleShop.datafile,
            .quiet {
                $0.eventStore = sent
                $0.profiles = store
            })
        let ada = client.user("ada", attributes: ["country": "US", "orders": 12])
        let preview = client.preview("checkout_redesign", for: ada.user, options: [])
        #expect(preview.variationKey == "one_page")
        #expect(store.profile(of: "ada").assignments.isEmpty && sent.impressions.isEmpty)
        var updates = ada.decisions(of: "checkout_redesign").makeAsyncIterator()
        #expect(await updates.next()?.variationKey == "one_page")
        #expect(store.profile(of: "ada").assignments == ["4101": "41013"])
        #expect(sent.impressions.map(\.variationKey) == ["one_page"])
    }

    @Test func aPreviewKeepsTheStoredVariation() throws {
        let store = MemoryProfileStore()
        store.save(["4101": "41012"], for: "ada")
        let client = try FlagClient(datafile: ExampleShop.datafile, .quiet { $0.profiles = store })
        let ada = User("ada", attributes: ["country": "US", "orders": 12])
        #expect(client.preview("checkout_redesign", for: ada, options: []).variationKey == "two_step")
    }
}
