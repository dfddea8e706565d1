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

    // MARK: Slow datafile
    // A start ends within its limit, however slowly a server responds.

    /// Less than the servers here need for a datafile, and enough for a busy machine.
    private let timeLimit = Duration.seconds(120)

    enum Slowness: CaseIterable {
        case dripping, silent, halfway

        var reply: Reply {
            let datafile = Datafile(revision: "2").bytes
            // The connection is never idle, and stays in use for minutes.
            return switch self {
            case .dripping: .body(datafile).dripping(every: .milliseconds(100))
            case .silent: .stall
            case .halfway: .body(datafile).stopping(after: 1_000, by: .stall)
            }
        }
    }

    /// Expects that a call takes less time than the server.
    private func inTime<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        let start = ContinuousClock.now
        let value = try await body()
        #expect(ContinuousClock.now - start < timeLimit)
        return value
    }

    @Test(arguments: Slowness.allCases)
    func aSlowDownloadFallsBackToTheCachedDatafile(when slowness: Slowness) async throws {
        let cache = MemoryDatafileCache()
        cache.keep(DatafileCopy(datafile: Datafile().bytes), for: key)
        try network.always(Address.datafile(key), slowness.reply)
        let client = FlagClient(
            network.configuration {
                $0.datafiles = network.source(key, cache: cache) { $0.deadline = .milliseconds(300) }
            })
        try await inTime { try await client.start() }
        #expect(client.project?.revision == "1")
    }

    @Test(arguments: Slowness.allCases) func theFacadeFallsBackTheSameWay(when slowness: Slowness) async throws {
        try network.always(Address.datafile(key), slowness.reply)
        let handler = FileHandler()
        let client = network.optimizely(key, handler: handler)
        #expect(await inTime { await client.startCalledBack(timeout: 0.3) } == nil)
        await #expect(throws: OptimizelyError.self) {
            try await inTime { try await client.start(resourceTimeout: 0.3) }
        }
        let bundled = Datafile(revision: "bundled").data
        #expect(await inTime { await client.startCalledBack(timeout: 0.3, bundled: bundled) } == "bundled")
        handler.saveDatafile(sdkKey: key, dataFile: Datafile(revision: "kept").data)
        try await inTime { try await client.start(resourceTimeout: 0.3, bundledDatafile: bundled) }
        #expect(client.revision == "kept")
    }

    // MARK: Bad datafile
    // Invalid datafiles are ignored, and a valid one is accepted afterwards.

    /// Bodies that the server sends with the status 200.
    private static let bodies = [
        "{}", Datafile(revision: "2", version: "5").text, String(Datafile(revision: "2").text.dropLast(200)),
        "<html><body>Bad Gateway</body></html>", "[]", "",
    ]
    /// The validators of a datafile.
    enum Naming: CaseIterable { case both, time, tag }

    private static let dates = ["Wed, 01 Jan 2025 00:00:00 GMT", "Thu, 02 Jan 2025 00:00:00 GMT"]

    private func lastModified(_ number: Int, _ naming: Naming) -> String? { naming == .tag ? nil : Self.dates[number] }
    private func etag(_ number: Int, _ naming: Naming) -> String? { naming == .time ? nil : "\"v\(number)\"" }

    private func publish(revision: String, version number: Int, _ naming: Naming) throws {
        try network.publish(
            Datafile(revision: revision), for: key, lastModified: lastModified(number, naming),
            etag: etag(number, naming))
    }

    /// Queues a bad response with the validators of the next version: a client that stores them would get 304
    /// permanently.
    private func replyBadly(_ body: String, _ naming: Naming) throws {
        var headers: [String: String] = [:]
        headers["Last-Modified"] = lastModified(1, naming)
        headers["ETag"] = etag(1, naming)
        try network.reply(Address.datafile(key), .status(200, headers: headers, body: Array(body.utf8)))
    }

    /// Expects that each request was conditional on the first version.
    private func expectRequests(_ count: Int, _ naming: Naming) throws {
        let requests = try network.requests(Address.datafile(key))
        #expect(requests.count == count && requests.allSatisfy { $0.method == "GET" })
        #expect(requests[0].headers["if-none-match"] == nil && requests[0].headers["if-modified-since"] == nil)
        for request in requests.dropFirst() {
            #expect(request.headers["if-none-match"] == etag(0, naming))
            #expect(request.headers["if-modified-since"] == lastModified(0, naming))
        }
    }

    @Test(arguments: bodies, Naming.allCases)
    func theFacadeKeepsTheLastGoodDatafile(_ body: String, _ naming: Naming) async throws {
        let handler = FileHandler()
        let client = network.optimizely(key, handler: handler)
        try publish(revision: "1", version: 0, naming)
        #expect(await client.startCalledBack() == "1")
        try replyBadly(body, naming)
        #expect(await client.startCalledBack() == "1", "the last good datafile")
        #expect(client.revision == "1" && handler.loadSavedDatafile(sdkKey: key) == Datafile().data)
        #expect(client.createUserContext(userId: "ada").decide(key: "tested").enabled)
        #expect(await client.startCalledBack() == "1", "nothing has changed")
        try publish(revision: "2", version: 1, naming)
        #expect(await client.startCalledBack() == "2")
        try expectRequests(4, naming)
    }
}
