/// Configurations from files and servers: loaded, validated, cached, refreshed.
@Suite struct SourceTests {
    private static let url = "https://example.com/rollout.json"
    private static let first = #"{"exp": {"Variants": {"a": 1}}}"#
    private static let second = #"{"exp": {"Variants": {"b": 1}}}"#

    private let log = MemoryLog(level: .warning)

    private func options(_ clock: any Clock<Duration> = .continuous) -> RolloutSourceOptions {
        var options = RolloutSourceOptions()
        (options.log, options.clock) = (log, clock)
        return options
    }

    /// A source with a server that supports validators.
    private func source(
        _ transport: MemoryTransport, cache: any DatafileCache = .memory, clock: any Clock<Duration> = .continuous
    ) -> RolloutConfigurationSource {
        RolloutConfigurationSource(url: Self.url, transport: transport, cache: cache, options: options(clock))
    }

    private func publish(_ text: String, as tag: String, on transport: MemoryTransport) {
        transport.respond { request in
            guard request.headers["If-None-Match"] != tag else { return HTTPResponse(status: 304) }
            return HTTPResponse(status: 200, headers: ["ETag": tag], body: Array(text.utf8))
        }
    }

    private func manager(_ source: RolloutConfigurationSource) -> ADRolloutManager {
        let manager = ADRolloutManager(services: Device().services())
        manager.setup(with: source)
        return manager
    }

    private func variant(_ manager: ADRolloutManager) -> String {
        manager.variant(byExperimentId: "exp", defaultResult: "none")
    }

    @Test func managersUseTheNewestConfiguration() async throws {
        let transport = MemoryTransport()
        let source = source(transport)
        let manager = manager(source)
        #expect(variant(manager) == "none")
        publish(Self.first, as: "1", on: transport)
        #expect(try await source.refresh())
        #expect(variant(manager) == "exp_a")
        #expect(try await !source.refresh())
        publish(Self.second, as: "2", on: transport)
        #expect(try await source.refresh())
        #expect(variant(manager) == "exp_b")
        #expect(transport.requests.map { $0.headers["If-None-Match"] } == [nil, "1", "1"])
    }

    @Test func theLimitReachesTheTransport() async throws {
        let transport = MemoryTransport { _ in throw TransportError(.tooLarge, "the response is too large") }
        var options = options()
        options.maximumSize = 1_000
        let source = RolloutConfigurationSource(
            url: Self.url, transport: transport, cache: MemoryDatafileCache(), options: options)
        await #expect(throws: RolloutSourceError.tooLarge(1_001, limit: 1_000)) { try await source.refresh() }
        #expect(transport.requests.map(\.maximumResponseSize) == [1_000])
    }

    @Test func theLastGoodConfigurationIsUsedAtTheNextStart() async throws {
        let (transport, cache) = (MemoryTransport(), MemoryDatafileCache())
        publish(Self.first, as: "1", on: transport)
        try await source(transport, cache: cache).refresh()
        transport.respond { _ in throw TransportError(.unreachable, "no network") }
        let later = source(transport, cache: cache)
        #expect(variant(manager(later)) == "exp_a")
        await #expect(throws: TransportError.self) { try await later.refresh() }
        #expect(variant(manager(later)) == "exp_a")
    }

    private static let badResponses = [
        "not found": HTTPResponse(status: 404), "unavailable": HTTPResponse(status: 503),
        "not modified": HTTPResponse(status: 304), "a page": HTTPResponse(status: 200, body: Array("<html>".utf8)),
        "empty": HTTPResponse(status: 200), "a list": HTTPResponse(status: 200, body: Array("[1]".utf8)),
        "too large": HTTPResponse(status: 200, body: Array(repeating: 0x20, count: 2 << 20)),
    ]

    @Test(arguments: badResponses.keys.sorted()) func aBadResponseReplacesNothing(name: String) async throws {
        let response = try #require(Self.badResponses[name])
        let (transport, cache) = (MemoryTransport(), MemoryDatafileCache())
        let source = source(transport, cache: cache)
        transport.respond { _ in response }
        await #expect(throws: RolloutSourceError.self) { try await source.refresh() }
        publish(Self.first, as: "1", on: transport)
        try await source.refresh()
        transport.respond { _ in response }
        if response.status != 304 {
            await #expect(throws: RolloutSourceError.self) { try await source.refresh() }
        }
        #expect(variant(manager(source)) == "exp_a")
        let key = RolloutConfigurationSource.cacheKey(of: Self.url)
        #expect(cache.copy(for: key)?.datafile == Array(Self.first.utf8))
    }

    @Test func anExperimentThatIsDeletedOnTheServerGivesTheDefault() async throws {
        let transport = MemoryTransport()
        let source = source(transport)
        publish(Self.first, as: "1", on: transport)
        try await source.refresh()
        publish("{}", as: "2", on: transport)
        try await source.refresh()
        #expect(variant(manager(source)) == "none")
    }

    @Test func warningsNameExperimentAndKey() async throws {
        let transport = MemoryTransport()
        let source = source(transport)
        publish(#"{"exp": {"Variants": {"a": 1}, "Settings": {"is_stiky": true}}}"#, as: "1", on: transport)
        try await source.refresh()
        #expect(variant(manager(source)) == "none")
        #expect(log.entries.contains { $0.message.contains(#""exp", Settings.is_stiky: no such setting"#) })
    }

    @Test func refreshesAtTheSameTimeShareOneLoad() async throws {
        let (transport, gate) = (MemoryTransport(), Gate())
        transport.respond { _ in
            await gate.pass()
            return HTTPResponse(status: 200, body: Array(Self.first.utf8))
        }
        let source = source(transport)
        let (executor, ended) = (ManualExecutor(), Collected<Bool>())
        for _ in 0..<8 {
            Task(executorPreference: executor) { ended.add((try? await source.refresh()) == true) }
        }
        executor.run()
        gate.open()
        try await wait("everybody") {
            executor.run()
            return ended.count == 8
        }
        #expect(!ended.all.contains(false))
        #expect(transport.requests.count == 1)
    }

    @Test func aSourceRefreshesPeriodically() async throws {
        let (transport, clock) = (MemoryTransport(), ManualClock())
        publish(Self.first, as: "1", on: transport)
        let source = source(transport, clock: clock)
        let manager = manager(source)
        source.startRefreshing(every: .seconds(600))
        try await wait("a refresh") { variant(manager) == "exp_a" }
        publish(Self.second, as: "2", on: transport)
        try await wait("a refresh") { clock.sleeperCount > 0 }
        clock.advance(by: .seconds(661))
        try await wait("a refresh") { variant(manager) == "exp_b" }
        source.stopRefreshing()
    }

    @Test func aFileIsReadAgain() async throws {
        let directory = try OwnDirectory()
        let path = try directory.write(Self.first, to: "rollout.json")
        let source = RolloutConfigurationSource(file: path, options: options())
        let manager = manager(source)
        #expect(variant(manager) == "exp_a")
        #expect(try await !source.refresh())
        _ = try directory.write("{", to: "rollout.json")
        await #expect(throws: RolloutSourceError.self) { try await source.refresh() }
        #expect(variant(manager) == "exp_a")
        _ = try directory.write(Self.second, to: "rollout.json")
        #expect(try await source.refresh())
        #expect(variant(manager) == "exp_b")
    }

    @Test func secretsInAddressesAreNotLogged() {
        let keys = ["a", "b"].map {
            RolloutConfigurationSource.cacheKey(of: "https://me:secret@example.com/x?token=\($0)")
        }
        #expect(keys.allSatisfy { $0.hasPrefix("example.com ") && !$0.contains("secret") && !$0.contains("token") })
        #expect(keys[0] != keys[1])
    }

    @Test func aFileWithoutAnEndIsRefused() {
        let manager = ADRolloutManager(services: Device().services())
        #expect(throws: RolloutSourceError.tooLarge((1 << 20) + 1, limit: 1 << 20)) {
            try manager.setup(withContentsOfFile: "/dev/zero")
        }
    }

    @Test func aFileThatIsMissingIsLogged() {
        let source = RolloutConfigurationSource(file: "/nonexistent/rollout.plist", options: options())
        #expect(variant(manager(source)) == "none")
        #expect(log.entries.count == 1)
    }
}

/// Runs jobs on request, up to their next suspension.
private final class ManualExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        let due = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in due { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
