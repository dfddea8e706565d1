/// Contextual bandits request predictions only as needed, and within their limit.
@Suite(.blocking) struct PredictionTests {
    private let network: TestNetwork
    private let first = Self.reply("511")
    private let second = Self.reply("512")
    private let limit = Duration.seconds(25)

    init() throws {
        network = try TestNetwork()
        try network.always(Address.prediction("51"), first)
    }

    private static func reply(_ id: String) -> Reply { .json(#"{"predictions":[{"variation_id":"\#(id)"}]}"#) }

    private func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) throws -> FlagClient {
        try network.client {
            $0.predictions = .http(transport: network.transport)
            change(&$0)
        }
    }

    /// The received requests, after validation.
    private func requests() throws -> [JSONValue] {
        try network.requests(Address.prediction("51")).map { request in
            #expect(request.method == "POST" && request.headers["content-type"] == "application/json")
            #expect(request.headers["x-api-key"] == nil && request.headers["authorization"] == nil)
            return try parsed(request, as: FieldTable.prediction)["instances"]?.elements.first ?? .null
        }
    }

    // MARK: Requests

    @Test func onlyTheRulesAttributesAreSentById() async throws {
        let client = try network.started()
        let old = client.createUserContext(userId: "ada", attributes: ["plan": "gold", "age": 31, "x": 1])
        #expect(await old.decideAsync(key: "bandit").variationKey == "arm511")
        let new = try self.client().user("bob", attributes: ["plan": 7, "age": 31])
        #expect(await new.decide("bandit", within: limit).variationKey == "arm511")
        let eve = try self.client().user("eve")
        _ = await eve.decide("bandit", within: limit)
        let requests = try requests()
        #expect(requests.map { $0["visitorId"]?.text } == ["ada", "bob", "eve"])
        #expect(requests.allSatisfy { $0["experimentId"] == .string("51") })
        let attributes = requests.map { ($0["attributes"]?.elements ?? []).map { [$0["id"], $0["value"]] } }
        #expect(attributes == [[[.string("7001"), .string("gold")]], [[.string("7001"), .integer(7)]], []])
    }

    @Test func theImpressionContainsThePredictionId() async throws {
        let old = try network.started()
        _ = await old.createUserContext(userId: "ada").decideAsync(key: "bandit")
        _ = await old.createUserContext(userId: "ada").decideAsync(key: "bandit")
        try await old.closed()
        let new = try client()
        _ = await new.user("bob").decide("bandit", within: limit)
        await new.flush()
        let names = try requests().map { $0["cmabUUID"] }
        let events = try network.events()
        #expect(events.map(\.user) == ["ada", "ada", "bob"])
        #expect(events.map { $0.decision?["metadata"]?["cmab_uuid"] } == [names[0], names[0], names[1]])
        #expect(names.count == 2 && names[0] != names[1])
    }

    @Test func synchronousCallsSendNoRequest() throws {
        let old = try network.started()
        #expect(old.createUserContext(userId: "ada").decide(key: "bandit").variationKey == nil)
        #expect(try client().user("ada").decide("bandit").variationKey == nil)
        #expect(try requests().isEmpty)
    }

    // MARK: Failures

    private static let transient = [500, 503, 408, 425, 429].map { Reply.status($0) } + [.raw("garbage\r\n\r\n")]

    @Test(arguments: transient) func transientFailuresAreRetriedOnce(_ failure: Reply) async throws {
        try network.reply(Address.prediction("51"), failure)
        let old = try network.started()
        let start = ContinuousClock.now
        let retried = await network.decideOld("ada", old)
        #expect(retried.variationKey == "arm511", "\(retried.reasons) after \(ContinuousClock.now - start)")
        try network.reply(Address.prediction("51"), failure, times: 2)
        let client = try client()
        let decision = await client.user("ada").decide("bandit", within: limit)
        #expect(decision.variationKey == nil && !decision.reasons.isEmpty)
        await client.flush()
        #expect(try network.events().isEmpty, "failed decisions are not sent")
        let names = try requests().map { $0["cmabUUID"] }
        #expect(names.count == 4 && names[0] == names[1] && names[2] == names[3] && names[0] != names[2])
        // Failures are not cached.
        #expect(await client.user("ada").decide("bandit", within: limit).variationKey == "arm511")
    }

    private static let refusals =
        [204, 301, 400, 401, 403, 404, 422].map { Reply.status($0) } + [.redirect(307, to: "/elsewhere")]
        + [
            "", "[]", "{}", "null", "nonsense", #"{"predictions":{}}"#, #"{"predictions":[]}"#,
            #"{"predictions":[{}]}"#, #"{"predictions":[{"variation_id":null}]}"#,
            #"{"predictions":[{"variation_id":""}]}"#, #"{"predictions":[{"variation_id":1.5}]}"#,
            #"{"predictions":["1"]}"#,
        ].map { Reply.json($0) }

    @Test(arguments: refusals) func permanentFailuresAreNotRetried(_ refusal: Reply) async throws {
        try network.always(Address.prediction("51"), refusal)
        let decision = await network.decideOld("ada", try network.started())
        #expect(decision.variationKey == nil && !decision.enabled && !decision.reasons.isEmpty)
        #expect(await (try client()).user("ada").decide("bandit", within: limit).variationKey == nil)
        #expect(try requests().count == 2)
    }

    // MARK: Time

    /// Expects that a call ends well before the service responds; that and all other limits take minutes.
    private func inTime<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        let start = ContinuousClock.now
        let value = try await body()
        #expect(ContinuousClock.now - start < .seconds(60))
        return value
    }

    private func clientWithDeadline(deadline: Duration) throws -> FlagClient {
        try network.client {
            var options = HTTPPredictionOptions()
            options.deadline = .seconds(600)
            $0.predictions = .http(transport: network.transport, options: options)
            $0.predictionOptions.deadline = deadline
        }
    }

    @Test(arguments: [Reply.stall, .body([UInt8](repeating: 32, count: 6_000)).dripping(every: .milliseconds(100))])
    func callsEndAtTheirLimit(_ slow: Reply) async throws {
        try network.always(Address.prediction("51"), slow)
        let client = try clientWithDeadline(deadline: .seconds(600))
        let bandit = await inTime { await client.user("ada").decide("bandit", within: .milliseconds(300)) }
        #expect(bandit.variationKey == nil)
        let tested = await inTime { await client.user("ada").decide("tested", within: .seconds(600)) }
        #expect(tested.variationKey == "on")
    }

    @Test func theTimeoutAppliesToAllAttemptsTogether() async throws {
        try network.always(Address.prediction("51"), .stall)
        let client = try clientWithDeadline(deadline: .milliseconds(300))
        let bandit = await inTime { await client.user("ada").decide("bandit", within: .seconds(600)) }
        #expect(bandit.variationKey == nil)
    }

    @Test func usersDoNotWaitForEachOther() async throws {
        let (old, new) = (try network.started(), try client())
        try network.reply(Address.prediction("51"), second, times: 2)
        network.gate.close()
        let finished = Collected<String>()
        async let slowOld: Void = finished.add(network.decideOld("slow", old).variationKey ?? "none")
        async let slowNew: Void = finished.add(new.user("slow").decide("bandit", within: limit).variationKey ?? "none")
        try await wait("two responses") { network.gate.waitingCount == 2 }
        network.gate.openForOthers()
        for number in 0..<5 {
            #expect(await network.decideOld("quick \(number)", old).variationKey == "arm511")
            #expect(await new.user("quick \(number)").decide("bandit", within: limit).variationKey == "arm511")
        }
        #expect(finished.all.isEmpty, "the slow ones still wait")
        network.gate.open()
        _ = await (slowOld, slowNew)
        #expect(finished.all == ["arm512", "arm512"])
    }

    @Test func concurrentEqualPredictionsShareARequest() async throws {
        try network.always(Address.prediction("51"), first.after(.milliseconds(500)))
        let (old, new) = (try network.started(), try client())
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { _ = await network.decideOld("ada", old) }
                group.addTask { _ = await new.user("ada").decide("bandit", within: limit) }
            }
        }
        #expect(try requests().count == 2)
    }
}

extension TestNetwork {
    func decideOld(
        _ user: String, _ client: OptimizelyClient, options: [OptimizelyDecideOption] = []
    ) async -> OptimizelyDecision {
        await client.createUserContext(userId: user, attributes: ["plan": "gold"])
            .decideAsync(key: "bandit", options: options)
    }
}
