/// Contextual bandits use predictions, which are requested as rarely as possible and waited for within the limit.
@Suite struct PredictionTests {
    /// Responds when the gate opens.
    private final class SlowSource: PredictionSource {
        let gate = Gate()
        let calls = Collected<PredictionRequest>()

        func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
            calls.add(request)
            await gate.pass()
            return "\(request.ruleID)1"
        }
    }

    private static let datafile = datafile("1")

    /// Two flags, each with a bandit that uses the attribute `age` and has two variations.
    private static func datafile(_ revision: String, second: String = "2") -> [UInt8] {
        let bandits = ["1", "2"].map {
            #"""
            {"id": "\#($0)", "key": "bandit\#($0)", "layerId": "", "status": "Running", "audienceIds": [],
             "forcedVariations": {}, "trafficAllocation": [], "type": "cmab",
             "cmab": {"attributeIds": ["20"], "trafficAllocation": 10000},
             "variations": [{"id": "\#($0)1", "key": "first", "featureEnabled": true},
              {"id": "\#($0)\#(second)", "key": "second", "featureEnabled": true}]}
            """#
        }
        let flags = ["1", "2"].map {
            #"{"id": "f\#($0)", "key": "flag\#($0)", "experimentIds": ["\#($0)"], "rolloutId": "", "variables": []}"#
        }
        return Array(
            #"""
            {"version": "4", "accountId": "A", "projectId": "P", "revision": "\#(revision)", "anonymizeIP": true,
             "groups": [], "audiences": [], "events": [], "rollouts": [], "attributes": [{"id": "20", "key": "age"}],
             "experiments": [\#(bandits.joined(separator: ","))], "featureFlags": [\#(flags.joined(separator: ","))]}
            """#.utf8)
    }

    private func client(
        _ source: some PredictionSource, _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> FlagClient {
        try FlagClient(
            datafile: Self.datafile,
            .quiet {
                $0.predictions = source
                change(&$0)
            })
    }

    @Test func withoutASourceBanditsAreSkipped() async throws {
        let client = try FlagClient(datafile: Self.datafile, .quiet())
        #expect(await client.user("ada").decide("flag1", within: .seconds(30)).stage == .noRule)
    }

    @Test func failedPredictionsAreErrorsWithoutEvents() async throws {
        let (sent, log, received) = (RecordedEvents(), MemoryLog(level: .error), Collected<Bool>())
        let client = try client(MemoryPredictionSource()) {
            $0.eventStore = sent
            $0.log = log
        }
        client.addListener { _ in received.add(true) }
        let decision = await client.user("ada").decide("flag1", within: .seconds(30))
        #expect(decision.stage == .predictionFailed && decision.isError)
        await client.close()
        #expect(sent.all.isEmpty && received.count == 0)
        #expect(log.entries.map(\.message) == ["no prediction for experiment 1; deciding without it: NoPrediction"])
    }

    // MARK: The cache

    @Test func predictionsExpire() async throws {
        let (source, clock) = (MemoryPredictionSource(["1": "11"]), ManualClock())
        let client = try client(source) { $0.clock = clock }
        for (seconds, count) in [(0, 1), (1_799, 1), (1, 2), (1_799, 2)] {
            clock.advance(by: .seconds(seconds))
            _ = await client.user("ada").decide("flag1", within: .seconds(30))
            #expect(source.calls.count == count)
        }
    }

    /// A service with another datafile than the client's is not called for every decision.
    @Test func unknownVariationsAreCachedUntilTheDatafileChanges() async throws {
        let source = MemoryPredictionSource(["1": "13"])
        let client = try client(source)
        for _ in 1...2 { #expect(await client.user("ada").decide("flag1", within: .seconds(30)).variationKey == nil) }
        #expect(source.calls.count == 1)
        try client.update(to: Self.datafile("2", second: "3"))
        for _ in 1...2 {
            #expect(await client.user("ada").decide("flag1", within: .seconds(30)).variationKey == "second")
        }
    }

    /// Predictions are cached per user, and a service may return any text.
    @Test func textsOfUnknownVariationsAreNotCached() async throws {
        let source = MemoryPredictionSource(["1": String(repeating: "e\u{301}", count: 1 << 20), "2": "an unknown one"])
        let ada = try client(source).user("ada")
        let decision = await ada.decide("flag1", within: .seconds(30), options: .includeReasons)
        #expect(decision.variationKey == nil)
        #expect(decision.reasons.contains { $0.description.contains("unknown (3145728 bytes)") })
        #expect(decision.reasons.allSatisfy { $0.description.utf8.count < 500 })
        let other = await ada.decide("flag2", within: .seconds(30), options: .includeReasons)
        #expect(other.reasons.contains { $0.description.contains("an unknown one") })
    }

    // MARK: Waiting

    @Test func predictionsOfSeveralFlagsAreRequestedInParallel() async throws {
        let source = SlowSource()
        let client = try client(source)
        async let decisions = client.user("ada").decideAll(within: .seconds(60))
        try await wait("both requests are sent") { source.gate.waitingCount == 2 }
        source.gate.open()
        #expect(await decisions.mapValues(\.stage) == ["flag1": .predicted, "flag2": .predicted])
    }

    @Test func aCancelledCallerDoesNotWait() async throws {
        let source = SlowSource()
        let client = try client(source)
        let task = Task { await client.user("ada").decide("flag1", within: .seconds(3_600)) }
        try await wait("the request is sent") { source.gate.waitingCount == 1 }
        task.cancel()
        #expect(await task.value.stage == .predictionFailed)
        source.gate.open()
    }

    @Test func theLimitIsForAllPredictionsTogether() async throws {
        let (source, clock) = (SlowSource(), ManualClock())
        let client = try client(source) { $0.clock = clock }
        async let decisions = client.user("ada").decideAll(within: .seconds(5))
        try await wait("both requests are sent") { source.gate.waitingCount == 2 && clock.sleeperCount == 4 }
        clock.advance(by: .seconds(5))
        let stages = await decisions.mapValues(\.stage)
        #expect(stages == ["flag1": .predictionFailed, "flag2": .predictionFailed])
        source.gate.open()
    }

    @Test func unresponsiveSourcesAreCalledAgain() async throws {
        let (source, clock) = (SlowSource(), ManualClock())
        let client = try client(source) { $0.clock = clock }
        for number in 1...2 {
            async let decision = client.user("ada").decide("flag1", within: .seconds(60))
            try await wait("call \(number)") { source.calls.count == number && clock.sleeperCount == 2 }
            clock.advance(by: .milliseconds(20_100))
            #expect(await decision.stage == .predictionFailed)
            clock.advance(by: .seconds(60))
        }
        source.gate.open()
    }
}
