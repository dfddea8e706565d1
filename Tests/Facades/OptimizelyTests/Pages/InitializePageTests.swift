import Foundation
import Optimizely
import Testing

// The page "Initialize the Swift SDK", sample by sample. Servers are replaced, and placeholders have names; the rest of
// each sample is as there.

@Suite(.ownThread) struct InitializePageTests {
    private let events = PageEvents()
    private let datafiles = PageDatafiles(server: PageDatafile.data())
    private let userId = "ada"
    private let datafileJSON = PageDatafile.text()

    private func makeClient(_ datafiles: PageDatafiles? = nil) -> OptimizelyClient {
        OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: events,
            datafileHandler: datafiles ?? self.datafiles)
    }

    // MARK: Settings

    @Test func settingsHaveTheFiveNamesOfThePage() {
        _ = OptimizelySdkSettings(
            segmentsCacheSize: 100,
            segmentsCacheTimeoutInSecs: 600,
            timeoutForSegmentFetchInSecs: 10,
            timeoutForOdpEventInSecs: 10,
            disableOdp: false)
    }

    @Test func clientsTakeSettings() throws {
        let odpSettings = OptimizelySdkSettings(
            segmentsCacheSize: 1000,
            segmentsCacheTimeoutInSecs: 30 * 60,
            disableOdp: false)

        let optimizely = OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: events, datafileHandler: datafiles,
            settings: odpSettings)
        try optimizely.start(datafile: datafileJSON)
        #expect(optimizely.createUserContext(userId: userId).decide(key: "flagKey").enabled)
    }

    // MARK: Starting

    @Test func contextsMadeBeforeTheStartDecideAfterIt() {
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
    }

    @Test func datafilesMayBeData() throws {
        let optimizely = makeClient()
        try optimizely.start(datafile: PageDatafile.data())
        #expect(optimizely.createUserContext(userId: userId).decide(key: "flagKey").variationKey == "red")
    }

    @Test(arguments: ["", "{", "[]", "{}", #"{"version": "4"}"#]) func malformedDatafilesAreCaught(datafile: String) {
        let optimizely = makeClient()
        do {
            try optimizely.start(datafile: datafile)
            Issue.record("started")
        } catch OptimizelyError.dataFileInvalid {
            #expect(!optimizely.createUserContext(userId: userId).decide(key: "flagKey").enabled)
        } catch {
            Issue.record(error)
        }
    }

    @Test func callbacksCanDecide() {
        let optimizely = makeClient()
        let user = optimizely.createUserContext(userId: userId)
        var calls = 0

        // Or, instantiate it asynchronously with a callback
        optimizely.start { result in
            let decision = user.decide(key: "flagKey")
            let variationKey = decision.variationKey
            #expect(variationKey == "red")
            calls += 1
        }
        #expect(calls == 1)
    }

    // MARK: Polling

    @Test func clientsPollAtTheIntervalTheyWereGiven() throws {
        // Datafile update interval can be configured when the SDK is configured
        // Background datafile update is disabled if periodicDownloadInterval is zero
        let key = newKey()
        let optimizely = OptimizelyClient(
            sdkKey: key, logger: PageLogger(), eventDispatcher: events, datafileHandler: datafiles,
            periodicDownloadInterval: 5 * 60)
        // every 5 minutes
        #expect(optimizely.datafileHandler?.hasPeriodicInterval(sdkKey: key) == true)
        #expect(datafiles.interval == 300)
    }

    @Test func anIntervalOfZeroIsNoPolling() {
        _ = OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: events, datafileHandler: datafiles,
            periodicDownloadInterval: 0)
        #expect(datafiles.interval == nil)
    }

    @Test func noIntervalIsTenMinutes() {
        _ = OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: events, datafileHandler: datafiles,
            periodicDownloadInterval: nil)
        #expect(datafiles.interval == 600)
    }

    /// The app delegate of the page.
    private final class AppDelegate {
        let optimizely: OptimizelyClient
        var printed: [String] = []
        var starts = 0

        init(_ optimizely: OptimizelyClient) { self.optimizely = optimizely }

        func print(_ text: String) { printed.append(text) }
        func startWithRootViewController() { starts += 1 }

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

    @Test func comingToTheForegroundStartsAgain() throws {
        let delegate = AppDelegate(makeClient())
        let user = delegate.optimizely.createUserContext(userId: userId)
        try delegate.optimizely.start(datafile: datafileJSON)
        datafiles.publish(PageDatafile.data(revision: "2", variation: "blue"))
        delegate.applicationWillEnterForeground()
        #expect(delegate.printed == ["Optimizely SDK initialized successfully!"] && delegate.starts == 1)
        #expect(user.decide(key: "flagKey").variationKey == "blue")
    }

    @Test func failuresToStartAreReadable() {
        let delegate = AppDelegate(makeClient(PageDatafiles(server: nil)))
        delegate.applicationWillEnterForeground()
        #expect(delegate.starts == 1 && delegate.printed.count == 1)
        #expect(delegate.printed[0].hasPrefix("Optimizely SDK initialization failed: [Optimizely][Error] "))
    }

    // MARK: Bundled datafiles

    @Test func bundledDatafilesNeedNoNetwork() throws {
        // This file lies five folders below the root of the repository.
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let bundle = try #require(Bundle(path: root.appending(path: "Examples/Shop").path))

        let optimizely = makeClient(PageDatafiles(server: nil))

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
    }

    // MARK: The end

    @Test func closingSendsWhatWaitsAndStopsPolling() throws {
        let optimizelyClient = OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: events, datafileHandler: datafiles,
            periodicDownloadInterval: 60)
        try optimizelyClient.start(datafile: datafileJSON)
        let user = optimizelyClient.createUserContext(userId: userId)
        for _ in 0..<1000 { _ = user.decide(key: "flagKey") }

        optimizelyClient.close()

        #expect(events.count == 1000)
        #expect(!datafiles.poll())
        optimizelyClient.close()
        #expect(user.decide(key: "flagKey").variationKey == "red")
    }
}
