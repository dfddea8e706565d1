/// A start ends within its limit, however slowly a server responds.
@Suite(.blocking) struct SlowDatafileTests {
    private let network: TestNetwork
    private let key = unique("key")
    /// Less than the servers here need for a datafile, and enough for a busy machine.
    private let timeLimit = Duration.seconds(120)

    init() throws { network = try TestNetwork() }

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
}
