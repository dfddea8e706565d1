import Foundation
import Optimizely
import Testing
import TurnoutClient

/// Defects of 5.4.2 that clients do not have, except those in the standard services.
@Suite(.ownThread) struct DefectTests {
    private let cached = ShopDatafile.revision("8")

    @Test func eventsOfEuropeanProjectsStayInEurope() throws {
        let setup = try TestSetup(ShopDatafile(more: #""region": "EU","#).data)
        _ = setup.user().decide(key: "tested")
        _ = try setup.client.activate(experimentKey: "ab", userId: "u")
        try setup.client.track(eventKey: "purchase", userId: "u")
        setup.settle()
        let events = setup.dispatcher.events
        #expect(events.count == 3)
        #expect(events.allSatisfy { $0.url.absoluteString == EventForDispatch.euEventEndpoint })
        #expect(events.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains(#""region":"EU""#) })
    }

    @Test func namesAndVersionsBelongToOneClient() throws {
        let key = UUID().uuidString
        let named = OptimizelyClient(
            sdkKey: key, datafileHandler: ScriptedHandler(),
            settings: OptimizelySdkSettings(sdkName: "other", sdkVersion: "9"))
        _ = OptimizelySdkSettings(sdkName: "global", sdkVersion: "0")
        #expect(try named.version == "9" && TestSetup().client.version == "5.4.2")
    }

    @Test func anInvalidCachedDatafileDoesNotReplaceAValidOne() throws {
        for bad in [
            "{}", "", "nonsense", ShopDatafile().text.replacingOccurrences(of: "\"4\", \"pro", with: "\"5\", \"pro"),
        ] {
            let setup = try TestSetup(handler: ScriptedHandler(cache: Data(bad.utf8)))
            #expect(setup.revision == "7")
            #expect(setup.handler.loadSavedDatafile(sdkKey: "") == nil, "or the server would not send it again")
        }
    }

    @Test func typedAudiencesMayRepeatAnId() throws {
        let audience = SmallDatafile.audience("1")
        let setup = try TestSetup(ShopDatafile(more: "\"typedAudiences\": [\(audience), \(audience)],").data)
        #expect(try setup.client.getOptimizelyConfig().audiences.isEmpty == false)
    }

    @Test func aListenerMayCloseItsClient() throws {
        let setup = try TestSetup()
        let closed = DispatchSemaphore(value: 0)
        _ = setup.center.addDecisionNotificationListener { _, _, _, _ in
            setup.client.close()
            closed.signal()
        }
        _ = setup.user().decide(key: "rolled")
        #expect(closed.wait(timeout: .now() + 5) == .success)
    }

    @Test func aStartWithoutAHandlerCompletes() async throws {
        let setup = try TestSetup(nil)
        setup.client.datafileHandler = nil
        let expected = OptimizelyError.sdkNotReady.errorDescription
        var errors: [String?] = []
        setup.client.start { if case .failure(let error) = $0 { errors.append(error.errorDescription) } }
        setup.client.start(bundledDatafile: cached) {
            if case .failure(let error) = $0 { errors.append(error.errorDescription) }
        }
        #expect(errors == [expected, expected])
        let error = await #expect(throws: OptimizelyError.self) { try await setup.client.start() }
        #expect(error?.errorDescription == expected)
    }

    @Test func pollingDoesNotRetainTheClient() throws {
        weak var client: OptimizelyClient?
        let handler = ScriptedHandler(downloads: .success(cached))
        do {
            let setup = try TestSetup(nil, handler: handler, interval: 120)
            try setup.client.start(datafile: ShopDatafile.data, doUpdateConfigOnNewDatafile: true)
            client = setup.client
        }
        #expect(client == nil)
        handler.poll(cached)
    }

    @Test func aSecondClientForAKeyLogsAWarning() throws {
        let key = UUID().uuidString
        let (first, second) = (try TestSetup(sdkKey: key), try TestSetup(sdkKey: key))
        #expect(second.logger.has(.warning) && !first.logger.has(.warning))
    }

    @Test func theGivenLoggerIsUsed() throws {
        let (first, second) = (try TestSetup(), try TestSetup())
        #expect(!second.client.isFeatureEnabled(featureKey: "x", userId: "u"))
        #expect(second.logger.has(.error) && !first.logger.has(.error))
    }

    @Test func anInfiniteAttributeIsLeftOutOfItsEvent() throws {
        let setup = try TestSetup()
        _ = setup.user("ada", ["plan": Double.infinity, "size": 1]).decide(key: "tested")
        let attributes = try #require(setup.visitors().first?["attributes"] as? [[String: Any]])
        #expect(attributes.compactMap { $0["key"] as? String } == ["size"])
        #expect(setup.logger.has(.warning, "plan"))
    }

    // MARK: Contextual bandits

    private func bandit() throws -> (TestSetup, MemoryPredictionSource) {
        var environment = HostEnvironment.withManualClock
        let predictions = MemoryPredictionSource(["5": "52"])
        environment.predictions = predictions
        return (try TestSetup(environment: environment), predictions)
    }

    @Test func bypassingThePredictionCacheDoesNotEmptyIt() async throws {
        let (setup, predictions) = try bandit()
        let user = setup.user()
        #expect(await user.decideAsync(key: "bandit").variationKey == "b")
        predictions.predict("51", inExperiment: "5")
        let past: [OptimizelyDecideOption] = [.ignoreCmabCache, .resetCmabCache, .invalidateUserCmabCache]
        #expect(await user.decideAsync(key: "bandit", options: past).variationKey == "a")
        #expect(await user.decideAsync(key: "bandit").variationKey == "b", "still in the cache")
        #expect(await user.decideAsync(key: "bandit", options: [.invalidateUserCmabCache]).variationKey == "a")
        #expect(predictions.calls.count == 3)
    }

    private static let endpoints: [(endpoint: String?, address: String?)] = [
        (nil, "https://prediction.cmab.optimizely.com/predict/5"),
        (" ", "https://prediction.cmab.optimizely.com/predict/5"),
        (" https://example.test/%@/p ", "https://example.test/5/p"),
        ("https://example.test/{ruleID}/p", "https://example.test/5/p"), ("https://example.test/p", nil),
    ]

    /// Requests use the client's network, and only the URL in its settings.
    @Test(arguments: endpoints)
    func predictionsComeFromTheEndpoint(_ endpoint: String?, _ address: String?) async throws {
        let transport = MemoryTransport { request in
            guard request.url == address else { return HTTPResponse(status: 404) }
            return HTTPResponse(status: 200, body: Array(#"{"predictions":[{"variation_id":"52"}]}"#.utf8))
        }
        var environment = HostEnvironment.withManualClock
        environment.transport = transport
        let client = HostEnvironment.$override.withValue(environment) {
            OptimizelyClient(
                sdkKey: UUID().uuidString, logger: RecordingMessages(), datafileHandler: ScriptedHandler(),
                cmabConfig: CmabConfig(predictionEndpoint: endpoint))
        }
        try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        let decision = await client.createUserContext(userId: "ada").decideAsync(key: "bandit")
        #expect(decision.variationKey == (address == nil ? nil : "b"))
        #expect(transport.requests.filter { $0.method == .post }.map(\.url).first == address)
    }

    @Test func aSlowPredictionDoesNotDelayOthers() async throws {
        var environment = HostEnvironment.withManualClock
        let source = BlockedSource()
        environment.predictions = source
        let setup = try TestSetup(environment: environment)
        let slow = Task { await setup.user("slow").decideAsync(key: "bandit") }
        await source.reached()
        #expect(await setup.user("ada").decideAsync(key: "tested").enabled)
        #expect(
            await withCheckedContinuation { done in
                setup.user("bob").decideAsync(keys: ["tested"]) { done.resume(returning: $0) }
            }.count == 1)
        source.release()
        #expect(await slow.value.variationKey == "a")
    }

    @Test func completionsAreNeverCalledInline() async throws {
        let setup = try TestSetup()
        let user = setup.user()
        let lock = NSLock()
        // Held until the call has returned: a synchronous callback would deadlock.
        let isLocked = await withCheckedContinuation { done in
            let returned = Counter()
            let gate = DispatchSemaphore(value: 0)
            user.decideAsync(key: "tested") { _ in
                gate.wait()
                done.resume(returning: lock.withLock { returned.value == 1 })
            }
            returned.add()
            gate.signal()
        }
        #expect(isLocked)
    }
}

/// A prediction source that responds on request.
private final class BlockedSource: PredictionSource {
    private let asked = AsyncStream.makeStream(of: Void.self)
    private let released = AsyncStream.makeStream(of: Void.self)

    func reached() async { for await _ in asked.stream { return } }
    func release() { released.continuation.yield() }

    func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
        asked.continuation.yield()
        for await _ in released.stream { break }
        return "51"
    }
}
