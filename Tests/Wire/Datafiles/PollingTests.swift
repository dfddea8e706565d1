/// The facade polls at the configured interval, and stops when its client ends.
@Suite(.blocking) struct PollingTests {
    private let network: TestNetwork
    private let key = unique("key")

    init() throws { network = try TestNetwork() }

    private func requestCount(_ key: String) throws -> Int { try network.requests(Address.datafile(key)).count }

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
