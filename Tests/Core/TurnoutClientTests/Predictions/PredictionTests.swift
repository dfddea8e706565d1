import TestSupport
import Testing
import TurnoutClient
import TurnoutTestKit

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

    @Test func predictionsDecide() async throws {
        let (source, sent) = (MemoryPredictionSource(["1": "12", "2": "21"]), RecordedEvents())
        let ada = try client(source) { $0.eventStore = sent }.user("ada", attributes: ["age": 36, "other": 1])
        let decision = await ada.decide("flag1", within: .seconds(30))
        #expect(decision.stage == .predicted && decision.variationKey == "second")
        let call = try #require(source.calls.first)
        #expect(call.request == PredictionRequest(userID: "ada", ruleID: "1", attributes: [("20", 36)]))
        #expect(call.uuid == decision.predictionUUID)
        #expect(sent.impressions.map(\.variationKey) == ["second"])
        #expect(
            await ada.decideAll(within: .seconds(30)).mapValues(\.variationKey) == [
                "flag1": "second", "flag2": "first",
            ])
    }

    @Test func synchronousDecisionsSkipBandits() throws {
        let source = MemoryPredictionSource(["1": "11"])
        let decision = try client(source).user("ada").decide("flag1")
        #expect(decision.stage == .noRule && !decision.isError)
        #expect(source.calls.isEmpty)
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
        #expect(
            log.entries.map(\.message) == ["no prediction for experiment 1; deciding without it: NoPrediction"])
    }

    // MARK: The cache

    private func askCount(_ options: DecideOptions, attributes: Attributes = ["age": 1]) async throws -> Int {
        let source = MemoryPredictionSource(["1": "11"])
        let client = try client(source)
        _ = await client.user("ada", attributes: ["age": 1]).decide("flag1", within: .seconds(30))
        _ = await client.user("ada", attributes: attributes).decide("flag1", within: .seconds(30), options: options)
        _ = await client.user("ada", attributes: attributes).decide("flag1", within: .seconds(30))
        return source.calls.count
    }

    @Test func predictionsAreCached() async throws {
        #expect(try await askCount([]) == 1)
        #expect(try await askCount([], attributes: ["age": 1, "other": 2]) == 1)
        #expect(try await askCount([], attributes: ["age": 2]) == 2)
    }

    @Test func optionsBypassTheCache() async throws {
        #expect(try await askCount(.ignoreCmabCache) == 2)
        #expect(try await askCount(.resetCmabCache) == 2)
        #expect(try await askCount(.invalidateUserCmabCache) == 2)
        #expect(try await askCount([.ignoreCmabCache, .resetCmabCache]) == 2)
    }

    /// Emptying the cache would cause another request for the entries stored before; replacing Ada's entry with the
    /// response for another age would cause one for hers.
    @Test(
        arguments: [
            ([.ignoreCmabCache], 3), ([.ignoreCmabCache, .resetCmabCache], 3),
            ([.ignoreCmabCache, .invalidateUserCmabCache], 3),
            ([.ignoreCmabCache, .resetCmabCache, .invalidateUserCmabCache], 3), ([.invalidateUserCmabCache], 4),
            ([.resetCmabCache], 5), ([.resetCmabCache, .invalidateUserCmabCache], 5),
        ] as [(DecideOptions, Int)])
    func lookingPastTheCacheWinsOverEmptyingIt(_ options: DecideOptions, count: Int) async throws {
        let source = MemoryPredictionSource(["1": "11"])
        let client = try client(source)
        func decide(_ user: String, age: Int64, _ options: DecideOptions = []) async {
            _ = await client.user(user, attributes: ["age": .integer(age)])
                .decide("flag1", within: .seconds(30), options: options)
        }
        for user in ["ada", "bob"] { await decide(user, age: 1) }
        await decide("ada", age: 2, options)
        #expect(source.calls.count == 3)
        for user in ["ada", "bob"] { await decide(user, age: 1) }
        #expect(source.calls.count == count)
    }

    @Test func resettingAffectsAllUsersAndInvalidatingOnlyOne() async throws {
        for (option, count) in [(DecideOptions.resetCmabCache, 4), (.invalidateUserCmabCache, 3)] {
            let source = MemoryPredictionSource(["1": "11"])
            let client = try client(source)
            for user in ["ada", "bob"] { _ = await client.user(user).decide("flag1", within: .seconds(30)) }
            _ = await client.user("ada").decide("flag1", within: .seconds(30), options: option)
            _ = await client.user("bob").decide("flag1", within: .seconds(30))
            #expect(source.calls.count == count)
        }
    }

    @Test func predictionsExpire() async throws {
        let (source, clock) = (MemoryPredictionSource(["1": "11"]), ManualClock())
        let client = try client(source) { $0.clock = clock }
        for (seconds, count) in [(0, 1), (1_799, 1), (1, 2), (1_799, 2)] {
            clock.advance(by: .seconds(seconds))
            _ = await client.user("ada").decide("flag1", within: .seconds(30))
            #expect(source.calls.count == count)
        }
    }

    @Test func failuresAreNotCached() async throws {
        let source = MemoryPredictionSource()
        let client = try client(source)
        #expect(await client.user("ada").decide("flag1", within: .seconds(30)).stage == .predictionFailed)
        source.predict("12", inExperiment: "1")
        #expect(await client.user("ada").decide("flag1", within: .seconds(30)).stage == .predicted)
    }

    /// Without this, a prediction for a deleted variation would leave the user without one for half an hour.
    @Test func predictionsAreUsedWhileTheirVariationExists() async throws {
        let source = MemoryPredictionSource(["1": "12"])
        let client = try client(source)
        let ada = client.user("ada")
        #expect(await ada.decide("flag1", within: .seconds(30)).variationKey == "second")
        try client.update(to: Self.datafile("2"))
        #expect(await ada.decide("flag1", within: .seconds(30)).variationKey == "second")
        #expect(source.calls.count == 1)
        try client.update(to: Self.datafile("3", second: "3"))
        source.predict("13", inExperiment: "1")
        #expect(await ada.decide("flag1", within: .seconds(30)).variationKey == "second")
        #expect(source.calls.count == 2)
    }

    /// A service with another datafile than the client's is not called for every decision.
    @Test func unknownVariationsAreCachedUntilTheDatafileChanges() async throws {
        let source = MemoryPredictionSource(["1": "13"])
        let client = try client(source)
        for _ in 1...2 {
            #expect(await client.user("ada").decide("flag1", within: .seconds(30)).variationKey == nil)
        }
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

    @Test func concurrentEqualRequestsAreSentOnce() async throws {
        let source = SlowSource()
        let client = try client(source)
        let stages = try await withThrowingTaskGroup(of: DecisionStage.self) { group in
            for _ in 0..<10 {
                group.addTask { await client.user("ada").decide("flag1", within: .seconds(60)).stage }
            }
            try await wait("the request is sent") { source.gate.waitingCount == 1 }
            source.gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(stages.count == 10 && stages.allSatisfy { $0 == .predicted })
        // A call that comes after the response asks again.
        #expect(source.calls.count < 10)
    }

    @Test func usersDoNotWaitForEachOther() async throws {
        let source = SlowSource()
        let client = try client(source)
        try await withThrowingTaskGroup { group in
            for number in 0..<50 {
                group.addTask { _ = await client.user("user \(number)").decide("flag1", within: .seconds(60)) }
            }
            try await wait("all tasks wait for the prediction") { source.gate.waitingCount == 50 }
            source.gate.open()
        }
        #expect(Set(source.calls.all.map(\.userID)).count == 50)
    }

    @Test func latePredictionsCountAsFailed() async throws {
        let (source, clock, sent) = (SlowSource(), ManualClock(), RecordedEvents())
        let client = try client(source) {
            $0.clock = clock
            $0.eventStore = sent
        }
        async let decision = client.user("ada").decide("flag1", within: .seconds(5))
        try await wait("the request is sent") { source.gate.waitingCount == 1 && clock.sleeperCount == 2 }
        clock.advance(by: .seconds(5))
        #expect(await decision.stage == .predictionFailed)
        #expect(sent.all.isEmpty)
        // The late prediction is cached for later decisions.
        source.gate.open()
        #expect(await client.user("ada").decide("flag1", within: .seconds(5)).stage == .predicted)
        #expect(source.calls.count == 1)
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
