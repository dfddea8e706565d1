// The page "Initialize the Swift SDK", sample by sample. Placeholders have names; the rest of each sample is verbatim.

@Suite(.blocking) struct InitializePageTests {
    private let network: TestNetwork
    private let sdkKey = unique("key")
    private let userId = "ada"
    private let datafileJSON = PageDatafile().text

    init() throws {
        network = try TestNetwork()
        try network.publish(PageDatafile(), for: sdkKey)
    }

    private func makeClient() -> OptimizelyClient { network.optimizely(sdkKey) }

    // MARK: Starting

    @Test func contextsMadeBeforeTheStartDecideAfterIt() async throws {
        // Build and config OptimizelyClient
        let optimizely = makeClient()
        let user = optimizely.createUserContext(userId: userId)
        #expect(user.decide(key: "flagKey").reasons == ["Optimizely SDK not configured properly yet."])

        // Synchronously initialize the client, then make a decision for a flag rule (such as an A/B test)
        do {
            try optimizely.start(datafile: datafileJSON)

            let decision = user.decide(key: "flagKey")
            let variationKey = decision.variationKey
            #expect(variationKey == "red")
        } catch {
            Issue.record(error)
        }
        try await optimizely.closed()
        #expect(try await network.impressions(1) == ["ada red"])
        try await network.requests(Address.datafile(sdkKey), atLeast: 1)
    }

    @Test func callbacksCanDecide() async throws {
        let optimizely = makeClient()
        let user = optimizely.createUserContext(userId: userId)
        let (calls, called) = (Collected<String>(), Gate())

        // Or, instantiate it asynchronously with a callback
        optimizely.start { result in
            let decision = user.decide(key: "flagKey")
            let variationKey = decision.variationKey
            calls.add("\(variationKey ?? "none") on \(Thread.isMainThread ? "the main thread" : "another thread")")
            called.open()
        }
        await called.pass()
        try await optimizely.closed()
        #expect(calls.all == ["red on another thread"])
        #expect(try network.requests(Address.datafile(sdkKey)).count == 1)
        #expect(try await network.impressions(1) == ["ada red"])
    }

    // MARK: Polling

    /// The app delegate of the page.
    private final class AppDelegate: Sendable {
        let optimizely: OptimizelyClient
        let printed = Collected<String>()
        let starts = Collected<Void>()

        init(_ optimizely: OptimizelyClient) { self.optimizely = optimizely }

        func print(_ text: String) { printed.add(text) }
        func startWithRootViewController() { starts.add(()) }

        func applicationWillEnterForeground() {
            optimizely.start { result in
                switch result {
                case .failure(let error):
                    self.print("Optimizely SDK initialization failed: \(error)")
                case .success:
                    self.print("Optimizely SDK initialized successfully!")
                // retest your features or experiments?
                }

                self.startWithRootViewController()
            }
        }
    }

    @Test func enteringTheForegroundStartsAgain() async throws {
        let delegate = AppDelegate(makeClient())
        let user = delegate.optimizely.createUserContext(userId: userId)
        try delegate.optimizely.start(datafile: PageDatafile().data, doFetchDatafileBackground: false)
        try network.publish(PageDatafile(revision: "2", variation: "blue"), for: sdkKey)
        delegate.applicationWillEnterForeground()
        try await wait("the start") { delegate.starts.count == 1 }
        #expect(delegate.printed.all == ["Optimizely SDK initialized successfully!"])
        #expect(user.decide(key: "flagKey").variationKey == "blue")
        #expect(try network.requests(Address.datafile(sdkKey)).count == 1)
    }

    @Test(arguments: [Reply.status(403), .reset]) func failuresToStartAreReadable(_ failure: Reply) async throws {
        try network.always(Address.datafile(sdkKey), failure)
        let delegate = AppDelegate(makeClient())
        delegate.applicationWillEnterForeground()
        try await wait("the start") { delegate.starts.count == 1 }
        #expect(delegate.printed.count == 1)
        #expect(delegate.printed.all[0].hasPrefix("Optimizely SDK initialization failed: [Optimizely][Error] "))
    }

    // MARK: Bundled datafiles

    @Test func bundledDatafilesNeedNoNetwork() async throws {
        // This file is four folders below the root of the repository.
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let bundle = try #require(Bundle(path: root.appending(path: "Examples/Shop").path))

        try network.always(Address.datafile(sdkKey), .reset)
        let optimizely = makeClient()

        do {
            let localDatafilePath = try #require(bundle.path(forResource: "datafile", ofType: "json"))
            let datafileJSON = try String(contentsOfFile: localDatafilePath, encoding: .utf8)
            try optimizely.start(datafile: datafileJSON)

            // Optimizely SDK initialized successfully
        } catch {
            // Optimizely SDK initialization failed
            Issue.record(error)
        }
        #expect(optimizely.createUserContext(userId: userId).decide(key: "search_ranking").variationKey == "by_sales")
        try await network.requests(Address.datafile(sdkKey), atLeast: 1)
    }

    // MARK: Closing

    @Test func closingSendsQueuedEventsAndStopsPolling() async throws {
        let (dispatcher, handler) = (network.make { DefaultEventDispatcher() }, FileHandler(network.directory))
        let optimizelyClient = network.optimizely(sdkKey, dispatcher: dispatcher, handler: handler, interval: 60)
        try optimizelyClient.start(datafile: datafileJSON)
        #expect(handler.hasPeriodicInterval(sdkKey: sdkKey))
        let user = optimizelyClient.createUserContext(userId: userId)
        for _ in 0..<1000 { _ = user.decide(key: "flagKey") }

        optimizelyClient.close()

        #expect(!handler.hasPeriodicInterval(sdkKey: sdkKey))
        // Closing waits for ten seconds; on a busy machine, the rest is sent later.
        try await wait("the events") { dispatcher.waitingCount == 0 }
        #expect(try network.events().count == 1000)
        optimizelyClient.close()
        #expect(user.decide(key: "flagKey").variationKey == "red")
    }
}
