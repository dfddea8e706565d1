/// A session's decisions follow its user.
@Suite struct UserSessionTests {
    @Test func changedAttributesChangeTheDecision() async throws {
        let client = try ExampleShop.client()
        let session = UserSession(client.user("ada", attributes: ["country": "DE", "orders": 12]))
        var updates = session.decisions(of: "checkout_redesign").makeAsyncIterator()
        #expect(await updates.next()?.variationKey != "one_page")
        session.user.attributes["country"] = "US"
        #expect(await updates.next()?.variationKey == "one_page")
        #expect(session.user.attributes["country"] == "US")
    }

    @Test func forcedDecisionsChangeTheDecision() async throws {
        let session = UserSession(FlagClient.scripted(.always("flag", "a"), .when("eve", "flag", "b")).user("ada"))
        var updates = session.decisions(of: "flag").makeAsyncIterator()
        #expect(await updates.next()?.variationKey == "a")
        session.user.forcedDecisions[DecisionContext(flag: "flag")] = "b"
        #expect(await updates.next()?.variationKey == "b")
    }

    @Test func segmentsChangeTheDecision() async throws {
        let source = MemorySegmentSource(["ada": ["gold"]])
        let client = try FlagClient(datafile: SegmentTests.datafile, .quiet { $0.segments = source })
        let session = UserSession(client.user("ada"))
        var updates = session.decisions(of: "flag").makeAsyncIterator()
        #expect(await updates.next()?.isEnabled == false)
        try await session.fetchSegments()
        #expect(await updates.next()?.isEnabled == true)
        session.user.segments = []
        #expect(await updates.next()?.isEnabled == false)
    }

    @Test func anotherUserGetsADecisionAndAnImpression() async {
        let sent = RecordedEvents()
        let session = UserSession(FlagClient.scripted(.always("flag", "a"), recording: sent).user("ada"))
        var updates = session.decisions(of: "flag").makeAsyncIterator()
        #expect(await updates.next()?.variationKey == "a")
        session.user = session.client.user("grace")
        #expect(await updates.next()?.variationKey == "a")
        #expect(sent.impressions.map(\.userID) == ["ada", "grace"])
    }

    @Test func segmentsOfAReplacedUserAreDropped() async throws {
        let gate = Gate()
        let client = try FlagClient(datafile: ExampleShop.datafile, .quiet { $0.segments = GatedSegments(gate: gate) })
        let session = UserSession(client.user("ada"))
        async let fetched: Void = session.fetchSegments()
        try await wait("the request waits") { gate.waitingCount == 1 }
        session.user = client.user("grace")
        gate.open()
        try await fetched
        #expect(session.user.segments.isEmpty)
        try await session.fetchSegments()
        #expect(session.user.segments == Set(client.project?.qualifiedSegments ?? []))
    }

    @Test func theSequenceEndsWithItsSession() async {
        let client = FlagClient.scripted(.always("flag", "a"))
        var updates: DecisionUpdates.Iterator
        do {
            let session = UserSession(client.user("ada"))
            updates = session.decisions(of: "flag").makeAsyncIterator()
            #expect(await updates.next() != nil)
        }
        #expect(await updates.next() == nil)
    }
}

private struct GatedSegments: SegmentSource {
    let gate: Gate
    func segments(of userID: String, among candidates: [String]) async throws -> [String] {
        await gate.pass()
        return candidates
    }
}
