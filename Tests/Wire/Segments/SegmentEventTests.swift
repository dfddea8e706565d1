/// Segment events arrive at the data platform of their datafile.
@Suite(.blocking) struct SegmentEventTests {
    private let network: TestNetwork
    private let settings = OptimizelySdkSettings(enableVuid: true)

    init() throws { network = try TestNetwork() }

    private func send(_ action: String, _ client: OptimizelyClient) throws {
        try client.sendOdpEvent(action: action, identifiers: ["fs_user_id": "ada"], data: ["n": 1, "none": nil])
    }

    @Test func eventsBeforeTheFirstDatafileAreSentAfterIt() async throws {
        let client = network.optimizely(settings: settings)
        try send("early", client)
        #expect(try network.requests(Address.segmentEvents).isEmpty)
        try client.start(datafile: Datafile().data, doFetchDatafileBackground: false)
        // Delivery continues without a further call.
        try await wait("both") { try network.segmentBatches().joined().count >= 2 }
        let events = try network.segmentBatches().flatMap { $0 }
        #expect(events.compactMap { $0["action"]?.text } == ["client_initialized", "early"])
        #expect(events[0]["identifiers"]?.members == ["vuid": .string(try #require(client.vuid))])
        #expect(events[1]["identifiers"]?["fs_user_id"] == .string("ada"))
        #expect(events[1]["data"]?["n"] == .integer(1) && events[1]["data"]?["none"] == .null)
    }

    @Test func keysAndHostsOfTwoDatafilesNeverMix() async throws {
        let client = try network.started()
        // The first response is held back; meanwhile the datafile changes.
        network.gate.close()
        for number in 0..<25 { try send("old \(number)", client) }
        try await network.requests(Address.segmentEvents, atLeast: 1)
        let next = Datafile(revision: "2", odpHost: "https://other-odp.test", odpKey: "other-key")
        try client.start(datafile: next.data, doFetchDatafileBackground: false)
        for number in 0..<25 { try send("new \(number)", client) }
        network.gate.open()
        try await client.closed()
        let old = try network.segmentBatches().flatMap { $0 }
        let new = try network.segmentBatches("https://other-odp.test/v3/events", key: "other-key").flatMap { $0 }
        #expect(actions([old]) == [(0..<25).map { "old \($0)" }])
        #expect(actions([new]) == [(0..<25).map { "new \($0)" }])
        #expect(try network.requests("https://odp.test/v3/events").count < 25, "several share a request")
    }

    @Test func closingDeliversQueuedEvents() async throws {
        try network.always(Address.segmentEvents, .status(503))
        let client = try network.started()
        try send("a", client)
        try await network.requests(Address.segmentEvents, atLeast: 3)
        try network.always(Address.segmentEvents, nil)
        try await client.closed()
        #expect(try actions(network.segmentBatches()).last == ["a"])
        let ids = Set(try network.segmentBatches().joined().compactMap { $0["data"]?["idempotence_id"]?.text })
        #expect(ids.count == 1, "the platform recognizes repeated events by it")
    }

    /// A client that sends five events. The first response is held back, so the last four events share a request, which
    /// gets these responses.
    private func sendFive(_ responses: Reply...) async throws -> OptimizelyClient {
        let client = try network.started()
        network.gate.close()
        defer { network.gate.open() }
        try send("first", client)
        try await network.requests(Address.segmentEvents, atLeast: 1)
        for response in responses { try network.reply(Address.segmentEvents, response) }
        for action in ["a", "b", "c", "d"] { try send(action, client) }
        return client
    }

    @Test func namedInvalidEventsAreDroppedAndTheOthersArrive() async throws {
        let response = #"{"title":"Bad Request","status":400,"detail":{"invalids":[{"event":1,"message":"…"}]}}"#
        let client = try await sendFive(.status(400, body: Array(response.utf8)))
        try await client.closed()
        let sent = try actions(network.segmentBatches())
        #expect(sent == [["first"], ["a", "b", "c", "d"], ["a", "c", "d"]])
    }

    @Test func unnamedInvalidEventsAreDroppedAndTheOthersArrive() async throws {
        let client = try await sendFive(
            .status(400), .status(400), .status(202), .status(400), .status(400), .status(202))
        try await client.closed()
        let sent = try actions(network.segmentBatches()).map { $0.joined() }
        #expect(sent == ["first", "abcd", "ab", "a", "bc", "b", "cd"])
    }

    @Test(arguments: [408, 429, 500, 503]) func aBusyPlatformReceivesEventsLater(status: Int) async throws {
        try network.reply(Address.segmentEvents, .reset, .status(status, headers: ["Retry-After": "0"]))
        let client = try network.started()
        try send("a", client)
        try await network.requests(Address.segmentEvents, atLeast: 3)
        try await client.closed()
        #expect(try actions(network.segmentBatches()) == [["a"], ["a"], ["a"]])
    }

    @Test func identifyingNeedsTwoIds() async throws {
        let anonymous = try network.started()
        _ = anonymous.createUserContext(userId: "unknown")
        let client = try network.started(settings: settings)
        let vuid = try #require(client.vuid)
        _ = client.createUserContext(userId: "ada")
        _ = client.createUserContext(userId: vuid)
        _ = client.createUserContext(attributes: [:])
        _ = client.createUserContext(userId: "")
        // This does not identify the user either.
        _ = client.createUserContext(userId: "bob").decide(key: "tested")
        try client.sendOdpEvent(action: "last")
        try await anonymous.closed()
        try await client.closed()
        let events = try network.segmentBatches().flatMap { $0 }
        #expect(actions([events]) == [["client_initialized", "identified", "identified", "last"]])
        let pairs = events.map { $0["identifiers"]?.members.mapValues { $0.text ?? "" } ?? [:] }
        #expect(
            pairs == [
                ["vuid": vuid], ["vuid": vuid, "fs_user_id": "ada"], ["vuid": vuid, "fs_user_id": "bob"],
                ["vuid": vuid],
            ])
    }

    @Test func aDatafileWithoutAPlatformSendsNoEvents() async throws {
        let client = network.optimizely(settings: settings)
        try send("early", client)
        try client.start(datafile: Datafile(odpKey: nil).data, doFetchDatafileBackground: false)
        #expect(throws: OptimizelyError.self) { try send("late", client) }
        try await client.closed()
        #expect(try network.requests(Address.segmentEvents).isEmpty)
    }

    // MARK: Vuid
    // A client without a device id does not use another client's.

    private let on = OptimizelySdkSettings(enableVuid: true)
    private let off = OptimizelySdkSettings(enableVuid: false)

    @Test func clientsWithAndWithoutADeviceIdAreIndependent() async throws {
        let first = try network.started(settings: on)
        let vuid = try #require(first.vuid)
        #expect(vuid.hasPrefix("vuid_"))
        let without = try network.started(settings: off)
        #expect(without.vuid == nil && without.createUserContext() == nil)
        #expect(first.vuid == vuid)
        let second = try network.started(settings: on)
        #expect(second.vuid == vuid, "still the same")
        for client in [first, without, second] {
            try client.sendOdpEvent(action: "a", identifiers: ["fs_user_id": "ada"])
            try await client.closed()
        }
        let identifiers = try network.requests(Address.segmentEvents).flatMap { request in
            try parsed(request, as: FieldTable.segmentEvents).elements.filter { $0["action"] == .string("a") }
        }.map { $0["identifiers"]?.members.mapValues { $0.text ?? "" } ?? [:] }
        let known = ["fs_user_id": "ada", "vuid": vuid]
        #expect(identifiers == [known, ["fs_user_id": "ada"], known])
    }

    @Test func theDeviceCanBeUsedAsAUser() async throws {
        let client = try network.started(settings: on)
        let user = try #require(client.createUserContext())
        #expect(user.decide(key: "tested").enabled)
        try user.trackEvent(eventKey: "purchase")
        try await client.closed()
        #expect(try network.events().map(\.user) == [client.vuid, client.vuid])
    }
}
