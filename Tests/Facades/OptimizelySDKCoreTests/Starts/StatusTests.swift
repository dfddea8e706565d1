import Optimizely

/// What clients tell about their datafile, events and assignments.
@Suite struct StatusTests {
    private let clock = ManualClock()
    private var setup = TestSetup()

    init() { setup.environment.clock = clock }

    @Test func aDownloadedDatafileIsConfirmed() async throws {
        setup.servers.publish(OldDatafile(revision: "2"))
        let client = try required(try await setup.manager().initialized().client)
        let status = client.status
        #expect(status.isReady && status.revision == "2" && status.errors.isEmpty)
        // Unchanged, if the manager has downloaded it before its client asks.
        #expect(status.datafile.requests.changed + status.datafile.requests.unchanged == 1)
        #expect(status.datafile.lastCheck != nil && status.datafile.requests.failed == 0)
        #expect(client.optimizely?.status == status)
        #expect(client.metrics.prometheus().contains("turnout_ready 1\n"))
    }

    @Test func aFailedDownloadIsAnError() async throws {
        setup.servers.fail(403)
        let manager = try setup.manager { $0.datafile = OldDatafile(revision: "1").data }
        let started = Collected<OPTLYClient?>()
        manager.initialize { _, client in started.add(client) }
        try await wait("pauses between attempts") {
            if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
            return started.count == 1
        }
        let status = try required(started.all[0]).status
        #expect(status.revision == "1" && status.datafile.origin == .bundled)
        #expect(status.datafile.requests.failed == 1 && status.lastError?.contains("403") == true)
    }

    @Test func aPassedDatafileIsInUse() throws {
        let client = try setup.client()
        #expect(client.status.datafile.origin == .passed && client.status.isReady)
        // The events of another dispatcher are unknown.
        client.activate("sticky", userId: "ada")
        #expect(client.status.events == EventStatus())
    }

    @Test func aDummyClientSaysWhy() throws {
        let manager = try setup.manager()
        let dummy = try required(manager.getOptimizely()).status
        #expect(!dummy.isReady && dummy.errors.isEmpty)
        let unusable = try required(manager.initialize(withDatafile: OldDatafile(revision: "1").data.dropLast(9)))
        #expect(!unusable.status.isReady && unusable.status.lastError != nil)
    }

    @Test func eventsOfBothQueuesAreCounted() async throws {
        let dispatcher = setup.make { OPTLYEventDispatcherDefault(builder: .init { _ in }) }
        let manager = try setup.manager { $0.eventDispatcher = dispatcher }
        let client = try required(manager.initialize(withDatafile: OldDatafile().data))
        client.activate("sticky", userId: "ada")
        client.track("purchase", userId: "ada")
        try await wait("both are delivered") { client.status.events.delivered == 2 }
        #expect(client.status.events.waiting == 0)
        setup.servers.setOffline(true)
        client.track("purchase", userId: "ada")
        try await wait("the request fails") { client.status.events.failedRequests > 0 }
        #expect(client.status.events.waiting == 1 && client.status.lastError != nil)
    }

    @Test func failuresOfAStoreAreCounted() throws {
        struct Broken: ProfileStore {
            func profile(of userID: String) throws -> UserProfile { throw Missing() }
            func save(_ assignments: [String: String], for userID: String) throws { throw Missing() }
        }
        let client = try setup.client(profiles: OPTLYStoredUserProfileService(Broken(), log: .silent))
        client.activate("sticky", userId: "ada")
        #expect(client.status.profileFailures.total == 1)
    }

    // MARK: Insecure address
    // Plain `http` is allowed by an option of the manager.

    @Test func aManagerThatAllowsItGivesItsServicesSuchANetwork() async throws {
        var setup = TestSetup()
        let asked = Collected<TransportOptions>()
        let open = MemoryTransport { _ in HTTPResponse(status: 404) }
        setup.environment.makeTransport = { options in
            asked.add(options)
            return open
        }
        _ = try setup.manager()
        #expect(asked.count == 0)
        let manager = try setup.manager { $0.allowsInsecureHTTP = true }
        #expect(asked.all.map(\.allowsInsecureHTTP) == [true])
        // A standard datafile manager sends a request at once.
        try await wait("the datafile is requested") { !open.requests.isEmpty }
        withExtendedLifetime(manager) {}
    }
}
