import Optimizely

/// The samples of the pages work as described there.
@Suite struct PageTests {
    private let setup = TestSetup()

    private func publish(_ revision: String = "1") {
        setup.servers.publish(OldDatafile(revision: revision, key: "experimentKey"))
    }

    @Test("A-1 and A-2") func withoutAServiceNoAssignmentIsStored() async throws {
        setup.servers.publish(OldDatafile(key: "Test"))
        let app = AppDelegate()
        let manager = try required(setup.make { app.noOpUserProfileService() })
        #expect(manager.userProfileService is OPTLYUserProfileServiceNoOp)
        try await wait("the call back") { app.variations.count == 1 }
        setup.servers.publish(
            OldDatafile(revision: "2", key: "Test", sticky: "12"), date: "Thu, 02 Jan 2020 00:00:00 GMT")
        let later = await manager.initialized().client
        #expect(later?.variation("Test", userId: "user_test_1")?.variationKey == "second")
        #expect(app.variations.all == ["first"])
    }

    @Test("A-3") func theSDKKeyNamesTheDatafile() async throws {
        publish()
        let manager = setup.make { AppDelegate().manager() }
        #expect(manager != nil)
        try await wait("a download") { setup.servers.downloads.count == 1 }
        #expect(setup.servers.downloads[0].url == "https://cdn.optimizely.com/datafiles/SDK_KEY_HERE.json")
        #expect(OPTLYDatafileConfig.defaultSdkKeyCdnPath("a") == "https://cdn.optimizely.com/datafiles/a.json")
        #expect(OPTLYDatafileConfig.defaultProjectIdCdnPath("1") == "https://cdn.optimizely.com/json/1.json")
    }

    @Test("A-4 and A-5") func bothStartsReturnAClient() async throws {
        publish()
        let bundled = OldDatafile(key: "experimentKey", sticky: "12")
        let app = AppDelegate(jsonDatafile: bundled.data)
        let manager = try required(setup.make { app.manager() })
        manager.userProfileService = nil
        app.clients(of: manager)
        try await wait("the call back") { app.variations.count == 2 }
        #expect(app.variations.all == ["second", "first"], "first the datafile that was handed in, then the server's")
    }

    @Test("A-6") func theManagerKeepsTheLastClient() throws {
        let (app, manager) = (AppDelegate(), try setup.manager())
        let dummy = try required(app.client(of: manager))
        #expect(dummy.optimizely == nil && dummy.notificationCenter() == nil)
        #expect(dummy.activate("sticky", userId: "ada") == nil)
        let message = "the client has no datafile, so the call returns nothing; initialize the manager again"
        #expect(setup.logger.texts(.error).last == message)
        let first = manager.initialize(withDatafile: OldDatafile().data)
        #expect(app.client(of: manager) === first)
        let known: any OPTLYManagerProtocol = manager
        let second = known.initialize(withDatafile: OldDatafile(revision: "2").data)
        #expect(app.client(of: manager) === second && first !== second)
    }

    @Test("A-7 and A-8") func aManagerUsesTheGivenParts() async throws {
        var setup = setup
        let clock = ManualClock()
        setup.environment.clock = clock
        publish()
        let dispatcher = setup.make { OPTLYEventDispatcherDefault { _ in } }
        let app = AppDelegate(eventDispatcher: dispatcher)
        let manager = try required(setup.make { app.pollingManager() })
        #expect(manager.eventDispatcher === dispatcher && dispatcher != nil)
        #expect(manager.datafileManager === app.datafileManager && app.datafileManager?.datafileFetchInterval == 120)
        try await wait("the first request") { setup.servers.downloads.count == 1 && clock.sleeperCount == 1 }
        // The page polls every 30 seconds. The two minutes vary by a tenth because of jitter.
        clock.advance(by: .seconds(100))
        #expect(clock.sleeperCount == 1 && setup.servers.downloads.count == 1)
        clock.advance(by: .seconds(40))
        try await wait("the second request") { setup.servers.downloads.count == 2 }
        await manager.initialized().client?.activate("experimentKey", userId: "ada")
        try await wait("the event of the given dispatcher") { setup.servers.arrived.count == 1 }
    }

    @Test("A-9") func theBundledDatafileIsForStartsWithoutACachedOne() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try OldDatafile(revision: "3").data.write(to: folder.appending(path: "datafileName.json"))
        setup.servers.setOffline(true)
        let manager = AppDelegate.Bundle.$folder.withValue(folder.path) {
            setup.make { AppDelegate().bundlingManager() }
        }
        #expect(manager?.initialize()?.revision == "3")
    }

    @Test("A-10") func profilesCanBeLookedUp() throws {
        let manager = try setup.manager { $0.datafileManager = OPTLYDatafileManagerNoOp() }
        #expect(manager.userProfileService?.lookup("ada") == nil)
        manager.initialize(withDatafile: OldDatafile().data)?.activate("sticky", userId: "ada")
        let profile = manager.userProfileService?.lookup("ada")
        #expect(profile?["user_id"] as? String == "ada")
        #expect(
            profile?["experiment_bucket_map"] as? [String: [String: String]] == ["1": ["variation_id": "11"]])
    }

    @Test("A-11") func aSynchronousStartUsesTheAvailableDatafile() async throws {
        let manager = try setup.manager { $0.datafile = OldDatafile(revision: "b", key: "experimentKey").data }
        #expect(manager.initialize()?.revision == "b")
        manager.datafileManager?.saveDatafile(OldDatafile(revision: "c", key: "experimentKey").data)
        let app = AppDelegate()
        app.clientAtOnce(of: manager)
        #expect(app.variations.all == ["first"] && manager.getOptimizely()?.revision == "c")
    }

    @Test("A-12") func aCustomServiceIsCalled() throws {
        let profiles = Profiles()
        let client = try setup.client(profiles: profiles)
        client.activate("sticky", userId: "ada")
        #expect(profiles.journal.all == ["lookup ada", "save ada"])
        client.activate("sticky", userId: "ada")
        #expect(profiles.journal.all == ["lookup ada", "save ada", "lookup ada"])
        let recorder = Recorder()
        let other = try setup.client(profiles: recorder)
        other.activate("sticky", userId: "ada")
        other.activate("sticky", userId: "ada")
        #expect(recorder.saves.count == 2, "a service that only records receives each assignment")
    }

    /// The page: "you can implement only the save method (always return nil from lookup)".
    private final class Recorder: NSObject, OPTLYUserProfileService {
        let saves = Collected<String>()
        func lookup(_ userId: String) -> [AnyHashable: Any]? { nil }
        func save(_ userProfile: [AnyHashable: Any]) { saves.add(userProfile["user_id"] as? String ?? "") }
    }
}

extension AppDelegate {
    /// A bundle with resources of a test.
    struct Bundle {
        @TaskLocal static var folder = ""
        init(for type: AnyClass) {}
        func path(forResource name: String, ofType type: String) -> String? { "\(Self.folder)/\(name).\(type)" }
    }
}
