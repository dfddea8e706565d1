// "More sample code" of the page "Initialize the Swift SDK": S1 to S3 and A1 to A3.

@Suite(.blocking) struct StartSampleTests {
    private let network: TestNetwork
    private let sdkKey = unique("key")
    private let localDatafile = PageDatafile().text
    private let newDatafile = PageDatafile(revision: "2", variation: "blue")
    private let flagKey = "flagKey"
    private let userId = "ada"
    private var address: String { Address.datafile(sdkKey) }

    init() throws {
        network = try TestNetwork()
        try network.publish(newDatafile, for: sdkKey)
    }

    private func makeClient() -> OptimizelyClient { network.optimizely(sdkKey) }

    /// A client that polls every second, so that tests are fast.
    private func makePollingClient() -> OptimizelyClient {
        let handler = FileHandler(network.directory)
        handler.minimumPollingInterval = 1
        return network.optimizely(sdkKey, handler: handler, interval: 1)
    }

    // MARK: [Synchronous]

    // [S1]
    @Test func backgroundDownloadsApplyToTheNextSession() async throws {
        do {
            let optimizely = makeClient()
            try? optimizely.start(datafile: localDatafile)
            let user = optimizely.createUserContext(userId: userId)
            let decision = user.decide(key: "flagKey")
            let variationKey = decision.variationKey
            #expect(variationKey == "red")

            try await wait("the copy") {
                FileHandler(network.directory).loadSavedDatafile(sdkKey: sdkKey) == newDatafile.data
            }
            #expect(optimizely.revision == "1" && user.decide(key: "flagKey").variationKey == "red")
            try await optimizely.closed()
        }
        // The cached datafile is in a file, so no network is needed.
        try network.always(address, .close)
        let next = makeClient()
        try next.start(datafile: localDatafile)
        #expect(next.revision == "2")
        #expect(next.createUserContext(userId: "bob").decide(key: "flagKey").variationKey == "blue")
        // Stored assignments are kept, too.
        let again = next.createUserContext(userId: userId)
        #expect(again.decide(key: "flagKey", options: [.disableDecisionEvent]).variationKey == "red")
        try await next.closed()
        #expect(try await network.impressions(3) == ["ada red", "ada red", "bob blue"])
    }

    // [S2]
    @Test func backgroundDownloadsReplaceTheDatafileIfRequested() async throws {
        network.gate.close()
        let changes = Collected<String?>()
        let optimizely = makeClient()
        _ = optimizely.notificationCenter?.addDatafileChangeNotificationListener { [weak optimizely] _ in
            changes.add(optimizely?.revision)
        }
        try? optimizely.start(
            datafile: localDatafile,
            doUpdateConfigOnNewDatafile: true)
        let user = optimizely.createUserContext(userId: userId)
        let decision = user.decide(key: flagKey, options: [.ignoreUserProfileService])
        let variationKey = decision.variationKey
        #expect(variationKey == "red")

        network.gate.open()
        try await wait("the update") { changes.count == 1 }
        #expect(user.decide(key: flagKey).variationKey == "blue")
        try await optimizely.closed()
        #expect(changes.all == ["2"] && optimizely.revision == "2")
        #expect(try await network.impressions(2) == ["ada blue", "ada red"])
        #expect(try network.requests(address).count == 1)
    }

    // [S2], with the library's older call
    @Test func dataCanBeReplacedInTheBackground() async throws {
        let optimizely = makeClient()
        try? optimizely.start(datafile: PageDatafile().data, doUpdateConfigOnNewDatafile: true)
        try await wait("the update") { optimizely.revision == "2" }
    }

    // [S3]
    @Test func pollingClientsUseBackgroundDownloads() async throws {
        network.gate.close()
        let optimizely = makePollingClient()
        try? optimizely.start(datafile: localDatafile)
        let user = optimizely.createUserContext(userId: userId)
        let decision = user.decide(key: flagKey, options: [.ignoreUserProfileService])
        let variationKey = decision.variationKey
        #expect(variationKey == "red")

        network.gate.open()
        try await wait("the first update") { optimizely.revision == "2" }
        try network.publish(PageDatafile(revision: "3"), for: sdkKey)
        try await wait("the second update") { optimizely.revision == "3" }
        #expect(user.decide(key: flagKey).variationKey == "red")
        try await optimizely.closed()
    }

    // MARK: [Asynchronous]

    // [A1]
    @Test func callbacksCanAssignVariables() async throws {
        network.gate.close()
        let called = Gate()
        var user: OptimizelyUserContext?
        var calls = 0
        let optimizely = makeClient()
        optimizely.start { [userId, flagKey] result in
            user = optimizely.createUserContext(userId: userId)
            let decision = user?.decide(key: flagKey)
            let variationKey = decision?.variationKey
            #expect(variationKey == "blue")
            calls += 1
            called.open()
        }
        #expect(user == nil)
        network.gate.open()
        await called.pass()
        #expect(user?.userId == "ada" && optimizely.revision == "2")
        try await optimizely.closed()
        #expect(calls == 1)
        #expect(try await network.impressions(1) == ["ada blue"])
    }

    // [A2]
    @Test func clientsThatWereStartedAsynchronouslyPoll() async throws {
        let called = Gate()
        var user: OptimizelyUserContext?
        let optimizely = makePollingClient()
        optimizely.start { [userId, flagKey] result in
            user = optimizely.createUserContext(userId: userId)
            let decision = user?.decide(key: flagKey)
            let variationKey = decision?.variationKey
            #expect(variationKey == "blue")
            called.open()
        }
        await called.pass()
        #expect(user != nil)
        try network.publish(PageDatafile(revision: "3"), for: sdkKey)
        try await wait("the update") { optimizely.revision == "3" }
        try await optimizely.closed()
    }

    // [A3]
    @Test func anAwaitedStartContinuesPolling() async throws {
        let optimizely = makePollingClient()
        if #available(iOS 13, *) {
            let task = Task { [optimizely] in
                do {
                    try await optimizely.start()
                } catch {
                    Issue.record("Optimizely SDK initiliazation failed: \(error)")
                }
            }
            await task.value
        }
        #expect(optimizely.revision == "2")
        try network.publish(PageDatafile(revision: "3"), for: sdkKey)
        try await wait("the update") { optimizely.revision == "3" }
        try await optimizely.closed()
    }

    // [A3]
    @Test(arguments: [Reply.status(403), .reset]) func anAwaitedStartThrowsTheCause(_ failure: Reply) async throws {
        try network.always(address, failure)
        let optimizely = makePollingClient()
        let task = Task { [optimizely] in
            do {
                try await optimizely.start()
                return "started"
            } catch {
                return "Optimizely SDK initiliazation failed: \(error)"
            }
        }
        #expect(await task.value.hasPrefix("Optimizely SDK initiliazation failed: [Optimizely][Error] "))
        await #expect(throws: OptimizelyError.self) { try await optimizely.start() }
    }
}
