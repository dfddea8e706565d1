import Optimizely

/// Clients that are created after a download, and datafile managers.
@Suite struct AsynchronousStartTests {
    private let setup = TestSetup()
    private let clock = ManualClock()
    private let date = "Wed, 01 Jan 2020 00:00:00 GMT"

    /// A setup with a manual clock, and with this setup's datafile cache.
    private var setupWithManualClock: TestSetup {
        var setup = setup
        setup.environment.clock = clock
        return setup
    }

    private func keep(_ datafile: OldDatafile) throws {
        try setup.environment.datafiles.keep(
            DatafileCopy(datafile: Array(datafile.data), lastModified: date), for: "key")
    }

    /// Advances the clock until a condition is true.
    private func pass(in steps: Duration = .seconds(1), until isTrue: () -> Bool) async throws {
        try await wait("pauses") {
            if clock.sleeperCount > 0 { clock.advance(by: steps) }
            return isTrue()
        }
    }

    /// Starts a manager while the clock advances.
    private func start(_ manager: OPTLYManager) async throws -> (error: NSError?, client: OPTLYClient?) {
        let outcomes = Collected<(error: NSError?, client: OPTLYClient?)>()
        manager.initialize { error, client in outcomes.add((error.map { $0 as NSError }, client)) }
        try await pass { outcomes.count > 0 }
        #expect(outcomes.count == 1)
        return outcomes.all[0]
    }

    @Test("A-17") func aNewDatafileIsUsedAndCached() async throws {
        setup.servers.publish(OldDatafile(revision: "2"))
        let manager = try setup.manager()
        let (error, client) = await manager.initialized()
        #expect(error == nil && client?.revision == "2" && manager.getOptimizely() === client)
        let copy = try setup.environment.datafiles.copy(for: "key")
        #expect(copy?.datafile == Array(OldDatafile(revision: "2").data) && copy?.lastModified == date)
        #expect(manager.datafileManager?.isDatafileCached() == true)
    }

    @Test("A-17, in a file") func datafilesAreCachedByteForByte() async throws {
        let directory = TemporaryDirectory()
        var setup = setup
        setup.environment.datafiles = FileDatafileCache(directory: directory.url)
        setup.servers.publish(OldDatafile(revision: "2"))
        #expect(try await setup.manager().initialized().client?.revision == "2")
        // As after a restart of the program, without a network.
        setup.environment.datafiles = FileDatafileCache(directory: directory.url)
        setup.servers.setOffline(true)
        let later = try setup.manager()
        #expect(later.initialize()?.revision == "2")
        #expect(try setup.environment.datafiles.copy(for: "key")?.lastModified == date)
        // A file as the Objective-C library wrote it.
        try OldDatafile(revision: "1").data.write(to: directory.url.appending(path: "key"))
        #expect(later.initialize()?.revision == "1")
    }

    @Test("A-18") func theNextStartSendsAConditionalRequest() async throws {
        setup.servers.publish(OldDatafile(revision: "2"))
        _ = try await setup.manager().initialized()
        let before = setup.servers.downloads.count
        let manager = try setup.manager()
        let (error, client) = await manager.initialized()
        #expect(error == nil && client?.revision == "2")
        #expect(setup.servers.downloads.dropFirst(before).allSatisfy { $0.headers["If-Modified-Since"] == date })
        #expect(setup.servers.downloads.count > before)
        let config = try required(manager.datafileConfig)
        let completions = Collected<(status: Int?, data: Data?)>()
        manager.datafileManager?.downloadDatafile(config) { data, response, _ in
            completions.add(((response as? HTTPURLResponse)?.statusCode, data))
        }
        try await wait("the completion") { completions.count == 1 }
        #expect(completions.all[0].status == 304 && completions.all[0].data == nil)
    }

    @Test("A-19") func offlineTheCachedDatafileIsUsed() async throws {
        try keep(OldDatafile(revision: "2"))
        setup.servers.setOffline(true)
        let (error, client) = try await start(try setupWithManualClock.manager())
        #expect(error?.code == 12 && client?.revision == "2")
    }

    @Test("A-20") func offlineTheBundledDatafileIsTheLastResort() async throws {
        setup.servers.setOffline(true)
        let (error, client) = try await start(
            try setupWithManualClock.manager { $0.datafile = OldDatafile(revision: "9").data })
        #expect(error != nil && client?.revision == "9")
        let (_, dummy) = try await start(try setupWithManualClock.manager())
        #expect(dummy != nil && dummy?.optimizely == nil)
    }

    private func polling(_ setup: TestSetup, every interval: TimeInterval) -> OPTLYDatafileManagerDefault? {
        setup.make {
            OPTLYDatafileManagerDefault(
                builder: OPTLYDatafileManagerBuilder { builder in
                    builder?.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey: "key")
                    builder?.datafileFetchInterval = interval
                    builder?.logger = setup.logger
                    builder?.errorHandler = setup.errors
                })
        }
    }

    @Test("A-21", arguments: [404, 200]) func anErrorPageIsNotUsedAsADatafile(status: Int) async throws {
        try keep(OldDatafile(revision: "2"))
        setup.servers.fail(status)
        let datafiles = try required(polling(setupWithManualClock, every: 300))
        let (error, client) = try await setupWithManualClock.manager { $0.datafileManager = datafiles }.initialized()
        #expect(error != nil && client?.revision == "2")
        #expect(datafiles.getSavedDatafile(nil) == OldDatafile(revision: "2").data)
    }

    @Test("A-22") func threeAttemptsAreEnough() async throws {
        setup.servers.fail(500)
        let setup = setupWithManualClock
        let elapsed = clock.stopwatch()
        let (error, client) = try await start(try setup.manager { $0.startTimeout = 0 })
        #expect(error?.code == Int(OPTLYErrorTypes.httpRequestManager.rawValue) && client?.optimizely == nil)
        // One for the datafile manager's own download, and one for the start unless it shares the first.
        let count = setup.servers.downloads.count
        #expect(count == 3 || count == 6)
        #expect(elapsed() == .seconds(count), "no pause after the last attempt")
        #expect(setup.errors.codes == [12] || (count == 6 && setup.errors.codes == [12, 12]))
    }

    @Test func anUnusableAddressIsTriedOnce() async throws {
        var setup = setupWithManualClock
        let transport = MemoryTransport { _ in throw TransportError(.badAddress, "http is not accepted") }
        setup.environment.transport = transport
        let (error, _) = await (try setup.manager()).initialized()
        #expect(error?.localizedDescription.hasSuffix("cdn.optimizely.com: http is not accepted") == true)
        // One for the datafile manager's own download, and one for the start unless it shares the first.
        #expect((1...2).contains(transport.requests.count))
        #expect(setup.logger.texts(.error).contains { $0.contains("http is not accepted") })
    }

    @Test(arguments: [nil, 2.5])
    func anUnresponsiveServerDelaysAStartUpToTheTimeout(limit: TimeInterval?) async throws {
        var setup = setupWithManualClock
        let gate = Gate()
        setup.environment.transport = MemoryTransport { _ in
            await gate.pass()
            return HTTPResponse(status: 200, body: Array(OldDatafile(revision: "10").data))
        }
        let manager = try setup.manager {
            $0.datafile = OldDatafile(revision: "9").data
            if let limit { $0.startTimeout = limit }
        }
        let outcomes = Collected<(error: NSError?, client: OPTLYClient?)>()
        manager.initialize { error, client in outcomes.add((error.map { $0 as NSError }, client)) }
        try await wait("the start") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds((limit ?? 10) - 0.1))
        #expect(outcomes.count == 0)
        clock.advance(by: .milliseconds(101))
        try await wait("the client") { outcomes.count == 1 }
        #expect(outcomes.all[0].client?.revision == "9" && outcomes.all[0].error?.code == 12)
        #expect(outcomes.all[0].error?.localizedDescription.contains("within") == true)
        // A late datafile is used from the next start on.
        gate.open()
        try await wait("the datafile") { manager.datafileManager?.isDatafileCached() == true }
        #expect(manager.getOptimizely()?.revision == "9" && manager.initialize()?.revision == "10")
    }

    @Test("A-23") func newDatafilesApplyFromTheNextStart() async throws {
        setup.servers.publish(OldDatafile(revision: "1"))
        let setup = setupWithManualClock
        let datafiles = try required(polling(setup, every: 120))
        let manager = try setup.manager { $0.datafileManager = datafiles }
        let client = try required(await manager.initialized().client)
        setup.servers.publish(OldDatafile(revision: "2", sticky: "12"), date: "Thu, 02 Jan 2020 00:00:00 GMT")
        try await pass(in: .seconds(30)) {
            datafiles.getSavedDatafile(nil) == OldDatafile(revision: "2", sticky: "12").data
        }
        #expect(client.revision == "1" && manager.getOptimizely() === client)
        #expect(client.variation("sticky", userId: "new")?.variationKey == "first")
        #expect(manager.initialize()?.revision == "2")
        #expect(client.revision == "1")
    }

    @Test("A-24", arguments: [(30, 120), (0, 0), (120, 120), (300, 300), (-1, nil), (.nan, nil)])
    func tooShortAnIntervalIsTwoMinutes(wanted: TimeInterval, effective: TimeInterval?) {
        #expect(polling(setupWithManualClock, every: wanted)?.datafileFetchInterval == effective)
        let warnings = setup.logger.texts(.warning).filter { $0.contains("below the minimum") }
        #expect(warnings.count == (wanted == 30 ? 1 : 0))
    }

    @Test func nothingIsFetchedInTheBackground() async throws {
        var setup = setupWithManualClock
        let center = NotificationCenter()
        setup.environment.notifications = center
        setup.servers.publish(OldDatafile())
        let datafiles = polling(setup, every: 120)
        try await wait("the first request") { setup.servers.downloads.count == 1 && clock.sleeperCount == 1 }
        center.post(name: .init("UIApplicationDidEnterBackgroundNotification"), object: nil)
        for _ in 0..<3 {
            clock.advance(by: .seconds(140))
            try await wait("a sleeper") { clock.sleeperCount == 1 }
        }
        #expect(setup.servers.downloads.count == 1)
        center.post(name: .init("UIApplicationDidBecomeActiveNotification"), object: nil)
        try await wait("the second download") { setup.servers.downloads.count == 2 }
        try await pass(in: .seconds(30)) { setup.servers.downloads.count == 3 }
        withExtendedLifetime(datafiles) {}
    }

    @Test func aProjectsIDNamesItsPrimaryDatafile() async throws {
        setup.servers.publish(OldDatafile(revision: "2"))
        let manager = try setup.manager { ($0.sdkKey, $0.projectId) = (nil, "12345678") }
        #expect(await manager.initialized().client?.revision == "2")
        #expect(setup.servers.downloads[0].url == "https://cdn.optimizely.com/json/12345678.json")
    }

    @Test func aDatafileOfAnotherProjectIsRefusedInWordsAboutProjects() async throws {
        setup.servers.publish(OldDatafile(revision: "2"))
        let manager = try setup.manager { ($0.sdkKey, $0.projectId) = (nil, "1") }
        let (error, client) = await manager.initialized()
        let text = "the downloaded datafile belongs to project 12345678, not to the requested project 1; "
        #expect(error?.localizedDescription.hasPrefix(text) == true, "\(String(describing: error))")
        #expect(client?.revision == nil)
    }

    @Test func customDatafileManagersAreCalled() async throws {
        let silent = try setup.manager {
            $0.datafileManager = OPTLYDatafileManagerNoOp()
            $0.datafile = OldDatafile(revision: "9").data
        }
        let (error, client) = await silent.initialized()
        #expect(error == nil && client?.revision == "9")
        setup.servers.publish(OldDatafile(revision: "3"))
        let basic = try required(setup.make { OPTLYManagerBasic(builder: setup.builder()) })
        #expect(await basic.initialized().client?.revision == "3")
        #expect(basic.initialize()?.revision == "3")
    }
}
