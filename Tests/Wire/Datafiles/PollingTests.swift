import LoopbackServer
import Optimizely
import TestSupport
import Testing
import TurnoutClient

/// Clients poll at the configured interval, and stop when they end.
@Suite(.blocking) struct PollingTests {
    private let network: TestNetwork
    private let key = unique("key")

    init() throws { network = try TestNetwork() }

    private func configuration(_ key: String, every interval: Duration, on clock: some Clock<Duration>)
        -> ClientConfiguration
    {
        network.configuration {
            $0.datafiles = network.source(key)
            $0.clock = clock
            $0.pollingInterval = interval
        }
    }

    private func requestCount(_ key: String) throws -> Int { try network.requests(Address.datafile(key)).count }

    /// A client that polls as often as possible. While it does, other clients could have polled, too.
    private func witness(on clock: some Clock<Duration>) async throws -> (client: FlagClient, key: String) {
        let key = unique("witness")
        try network.publish(Datafile(), for: key, etag: "\"1\"")
        var configuration = configuration(key, every: .milliseconds(1), on: clock)
        configuration.minimumPollingInterval = .milliseconds(1)
        let client = FlagClient(configuration)
        try await client.start()
        return (client, key)
    }

    @Test func listenersAreCalledWhenANewDatafileApplies() async throws {
        let revisions = Collected<[String?]>()
        try network.publish(Datafile(), for: key, lastModified: "Wed, 01 Jan 2025 00:00:00 GMT", etag: "\"1\"")
        var configuration = configuration(key, every: .milliseconds(20), on: ContinuousClock())
        configuration.minimumPollingInterval = .milliseconds(20)
        let client = FlagClient(configuration)
        client.addListener(to: .datafileChanges) { [weak client] notification in
            guard case .datafileChange(let project) = notification else { return }
            revisions.add([project.revision, client?.project?.revision])
        }
        try await client.start()
        // Some responses without changes.
        try await network.requests(Address.datafile(key), atLeast: 4)
        try network.publish(
            Datafile(revision: "2"), for: key, lastModified: "Thu, 02 Jan 2025 00:00:00 GMT", etag: "\"2\"")
        try await wait("a notification") { revisions.count == 1 }
        #expect(revisions.all == [["2", "2"]])
        try await network.requests(Address.datafile(key), atLeast: requestCount(key) + 2)
        #expect(revisions.count == 1)
        await client.close()
    }

    @Test func tooShortAnIntervalIsRaisedToTheMinimum() async throws {
        let (clock, log) = (ManualClock(), MemoryLog(level: .warning))
        let (witness, other) = try await witness(on: clock)
        try network.publish(Datafile(), for: key, etag: "\"1\"")
        var configuration = configuration(key, every: .seconds(1), on: clock)
        configuration.log = log
        let client = FlagClient(configuration)
        try await client.start()
        #expect(log.entries.map(\.message) == ["polling interval 1 s is below the minimum; using 30 s"])
        for _ in 0..<3 {
            let count = try requestCount(other)
            try await wait("two sleepers") { clock.sleeperCount >= 2 }
            clock.advance(by: .milliseconds(9_900))
            try await wait("the witness") { try requestCount(other) > count }
        }
        #expect(try requestCount(key) == 1)
        try await wait("two sleepers") { clock.sleeperCount >= 2 }
        clock.advance(by: .seconds(4))
        try await wait("a poll") { try requestCount(key) == 2 }
        withExtendedLifetime((witness, client)) {}
    }

    @Test func aClosedClientSendsNoRequest() async throws {
        let clock = ManualClock()
        let (witness, other) = try await witness(on: clock)
        try network.publish(Datafile(), for: key, etag: "\"1\"")
        let client = FlagClient(configuration(key, every: .seconds(30), on: clock))
        try await client.start()
        await client.close()
        for _ in 0..<3 {
            let count = try requestCount(other)
            try await wait("a sleeper") { clock.sleeperCount >= 1 }
            clock.advance(by: .seconds(3_600))
            try await wait("the witness") { try requestCount(other) > count }
        }
        #expect(try requestCount(key) == 1)
        withExtendedLifetime(witness) {}
    }

    @Test func pollingDoesNotRetainTheClient() async throws {
        try network.publish(Datafile(), for: key, etag: "\"1\"")
        var configuration = configuration(key, every: .milliseconds(5), on: ContinuousClock())
        configuration.minimumPollingInterval = .milliseconds(5)
        var client: FlagClient? = FlagClient(configuration)
        weak let reference = client
        try await client?.start()
        try await network.requests(Address.datafile(key), atLeast: 3)
        client = nil
        try await wait("the end") { reference == nil }
    }

    // MARK: The facade

    /// A handler with a short interval, as for private servers.
    private func frequent() -> FileHandler {
        let handler = FileHandler()
        handler.minimumPollingInterval = 1
        return handler
    }

    @Test func theFacadePollsAndNotifiesItsListeners() async throws {
        let revisions = Collected<String?>()
        try network.publish(Datafile(), for: key, etag: "\"1\"")
        let client = network.optimizely(key, handler: frequent(), interval: 1)
        _ = client.notificationCenter?.addDatafileChangeNotificationListener { [weak client] _ in
            revisions.add(client?.revision)
        }
        try await client.start()
        try network.publish(Datafile(revision: "2"), for: key, etag: "\"2\"")
        try await wait("a notification") { revisions.count == 1 }
        #expect(revisions.all == ["2"])
        try await client.closed()
    }

    @Test func theFacadeStopsWhenClosedOrReleased() async throws {
        let (closedKey, goneKey) = (unique("closed"), unique("gone"))
        for key in [key, closedKey, goneKey] { try network.publish(Datafile(), for: key, etag: "\"1\"") }
        let witness = network.optimizely(key, handler: frequent(), interval: 1)
        let closed = network.optimizely(closedKey, handler: frequent(), interval: 1)
        var gone: OptimizelyClient? = network.optimizely(goneKey, handler: frequent(), interval: 1)
        weak let reference = gone
        try await gone?.start()
        try await closed.start()
        try await closed.closed()
        gone = nil
        try await wait("the end") { reference == nil }
        try await witness.start()
        // A request of each may have been in progress.
        try await wait("the end of polling") {
            let before = [try requestCount(closedKey), try requestCount(goneKey)]
            try await network.requests(Address.datafile(key), atLeast: requestCount(key) + 2)
            return try before == [requestCount(closedKey), requestCount(goneKey)]
        }
        try await witness.closed()
    }

    @Test func theFacadesMinimumIntervalIsTwoMinutes() throws {
        let logger = QuietLogger()
        let client = network.optimizely(key, logger: logger, interval: 30)
        #expect(client.datafileHandler?.hasPeriodicInterval(sdkKey: key) == true)
        #expect(
            logger.entries.contains {
                $0.message.hasSuffix(": polling interval 30 s is below the minimum; using 120 s")
            })
    }
}
