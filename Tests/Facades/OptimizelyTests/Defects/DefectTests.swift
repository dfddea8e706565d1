/// Defects of 5.4.2 that clients do not have, except those in the standard services.
@Suite(.ownThread) struct DefectTests {
    private let cached = ShopDatafile.revision("8")

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

    // MARK: Contextual bandits

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
