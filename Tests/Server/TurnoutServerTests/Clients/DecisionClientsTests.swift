import TestSupport
import TurnoutServer

/// A store whose calls wait for another process.
private struct RemoteStore: ProfileStore {
    var isRemote: Bool { true }
    var savesImmediately: Bool { true }

    func profile(of userID: String) -> UserProfile { UserProfile() }
    func save(_ assignments: [String: String], for userID: String) {}
}

/// A store that stores after a signal.
private final class SlowStore: ProfileStore {
    let latch = Latch()
    let assignments = Locked<[String: String]>([:])

    var isRemote: Bool { true }

    func profile(of userID: String) -> UserProfile { UserProfile() }
    func save(_ assignments: [String: String], for userID: String) {
        latch.pass()
        self.assignments.withLock { $0 = assignments }
    }
}

@Suite("Deciding clients")
struct DecisionClientsTests {
    private static func directory(_ keys: String...) throws -> DatafileDirectory {
        let directory = DatafileDirectory(wallClock: .fixed(0))
        for key in keys { try directory.publish(TestDatafile.shop(), for: key) }
        return directory
    }

    private static func services(_ clock: ManualClock = ManualClock()) -> DecisionServices {
        var services = DecisionServices()
        services.clock = clock
        services.log = .silent
        return services
    }

    private static let finn = User("ada", attributes: ["country": "FI"])

    @Test func aClientIsMadeOnFirstUseAndShared() throws {
        let clients = DecisionClients(try Self.directory("a"), services: Self.services())
        #expect(clients.counts.clients == 0)
        let client = try #require(clients["a"])
        #expect(clients["a"] === client)
        #expect(clients["b"] == nil)
        var counts = ClientCounts()
        (counts.clients, counts.created, counts.unknownKeys) = (1, 1, 1)
        #expect(clients.counts == counts)
    }

    @Test func aClientDecidesWithTheProjectOfTheDirectory() async throws {
        let directory = try Self.directory("a")
        let clients = DecisionClients(directory, services: Self.services())
        let client = try #require(clients["a"])
        #expect(client.served.project === directory["a"]?.project)
        #expect(await client.decide(.one("checkout"), for: Self.finn)[0].variationKey == "one_page")
        #expect(await client.decide(.all, for: Self.finn).count == 5)
        #expect(clients.counts.decisions == 6)
    }

    @Test func clientsFollowTheDirectory() throws {
        let directory = try Self.directory("a")
        let clients = DecisionClients(directory, services: Self.services())
        let client = try #require(clients["a"])
        try directory.publish(TestDatafile.shop(revision: 2), for: "a")
        #expect(client.served.project.revision == "2")
        directory.remove("a")
        #expect(clients["a"] == nil)
        #expect(clients.counts.clients == 0)
    }

    @Test func theLeastRecentlyUsedClientIsRemovedAtTheLimit() throws {
        var limits = ClientLimits()
        limits.clients = 2
        let clients = DecisionClients(try Self.directory("a", "b", "c"), services: Self.services(), limits: limits)
        let a = clients["a"]
        let stream = clients["b"]?.notifications.subscribe(to: [.decision])
        #expect(clients["a"] === a)
        _ = clients["c"]
        #expect(clients.counts.clients == 2 && clients.counts.evicted == 1)
        #expect(stream?.hasEnded == true)
        #expect(clients["a"] === a)
    }

    @Test func idleClientsAreRemoved() throws {
        var limits = ClientLimits()
        (limits.idleTime, limits.sweepInterval) = (.seconds(60), .seconds(15))
        let directory = try Self.directory("idle", "used", "streamed", "overridden")
        let clients = DecisionClients(directory, services: Self.services(), limits: limits)
        for key in directory.sdkKeys { _ = clients[key] }
        let stream = try #require(clients["streamed"]?.notifications.subscribe(to: [.decision]))
        try clients["overridden"]?.overrides.set("two_pages", experiment: "checkout_test", userID: "ada")
        for _ in 0..<5 {
            clients.sweep()
            _ = clients["used"]
        }
        #expect(clients.counts.clients == 3 && clients.counts.evicted == 1)
        #expect(stream.available.contains(": keep-alive\n\n"))
        stream.close()
        for _ in 0..<5 { clients.sweep() }
        #expect(clients.counts.clients == 1)
    }

    @Test func sweepsRunAtTheirInterval() async throws {
        let clock = ManualClock()
        let clients = DecisionClients(try Self.directory("a"), services: Self.services(clock))
        let stream = try #require(clients["a"]?.notifications.subscribe(to: []))
        let running = Task { await clients.run() }
        try await wait("the pause before a sweep") { clock.sleeperCount > 0 }
        clock.advance(by: .seconds(15))
        try await wait("the sweep") { !stream.available.isEmpty }
        running.cancel()
        await running.value
    }

    @Test func predictionsAreAwaited() throws {
        var services = Self.services()
        services.predictions = MemoryPredictionSource()
        let directory = try Self.directory("a")
        let clients = DecisionClients(directory, services: services)
        #expect(clients["a"]?.wait(for: "finn") == .suspending)
        let others = DecisionClients(directory, services: Self.services())
        #expect(others["a"]?.wait(for: "finn") == DecisionClient.Wait.none)
    }

    @Test func anAssignmentThatOutlivesItsRequestIsAwaited() async throws {
        var services = DecisionServices()
        let store = SlowStore()
        (services.profiles, services.timeLimit, services.log) = (store, .seconds(1), .silent)
        let clients = DecisionClients(try Self.directory("a"), services: services)
        let client = try #require(clients["a"])
        #expect(await client.decide(.one("checkout"), for: Self.finn)[0].variationKey == "one_page")
        #expect(store.assignments.withLock { $0.isEmpty })
        let waiting = Task { await clients.waitForUnfinishedCalls(within: .seconds(30)) }
        store.latch.open()
        await waiting.value
        #expect(store.assignments.withLock { $0.count } == 1)
    }

    @Test func onlyUsersWhoseProfileIsNotInMemoryWait() throws {
        var services = Self.services()
        let store = CachedProfileStore(RemoteStore(), users: 10)
        services.profiles = store
        let client = try #require(DecisionClients(try Self.directory("a"), services: services)["a"])
        #expect(client.wait(for: "finn") == .suspending)
        _ = try store.profile(of: "finn")
        #expect(client.wait(for: "finn") == DecisionClient.Wait.none)
    }
}
