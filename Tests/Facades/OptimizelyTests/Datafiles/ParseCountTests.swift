@Suite("A datafile is parsed once", .ownThread)
struct ParseCountTests {
    private static let bundled = emptyDatafile(revision: "0")
    private static let kept = emptyDatafile(revision: "1")
    private static let new = emptyDatafile(revision: "2")

    private final class Handler: DefaultDatafileHandler {
        let store = MemoryStore()
        override func createDataStore(sdkKey: String) -> any OPTDataStore { store }
    }

    private let key = UUID().uuidString

    /// A handler with a copy of an earlier process, and a server with one response.
    private func handler(_ body: Data, status: Int = 200, hasValidators: Bool = true) -> Handler {
        let handler = Handler(response: HTTPResponse(status: status, body: Array(body)))
        handler.store.saveItem(forKey: key, value: Data((hasValidators ? "ETag: \"1\"\n\n" : "").utf8) + Self.kept)
        return handler
    }

    private func client(_ handler: DefaultDatafileHandler, _ key: String, interval: Int = 0) -> OptimizelyClient {
        OptimizelyClient(
            sdkKey: key, logger: RecordingMessages(), datafileHandler: handler, periodicDownloadInterval: interval)
    }

    @Test("by a start that downloads a newer one than the cached copy", arguments: [false, true])
    func newer(hasValidators: Bool) async throws {
        let handler = handler(Self.new, hasValidators: hasValidators)
        let (client, memo) = (client(handler, key), handler.memo(key))
        try await client.start()
        #expect(try client.getOptimizelyConfig().revision == "2")
        #expect(memo.parseCount == 2, "the copy and the new one")
    }

    @Test("by a start whose copy has not changed")
    func unchanged() async throws {
        let handler = handler(Data(), status: 304)
        let (client, memo) = (client(handler, key), handler.memo(key))
        try await client.start()
        #expect(try client.getOptimizelyConfig().revision == "1")
        #expect(memo.parseCount == 1)
    }

    @Test("by a start with a bundled one, and the update after it", arguments: [false, true])
    func bundled(hasValidators: Bool) async throws {
        let handler = handler(Self.new, hasValidators: hasValidators)
        let (client, memo) = (client(handler, key), handler.memo(key))
        try client.start(datafile: Self.bundled, doUpdateConfigOnNewDatafile: true)
        try await wait("the update") { try client.getOptimizelyConfig().revision == "2" }
        #expect(memo.parseCount == 3, "the copy, the bundled and the new one")
    }

    @Test("even if it is unusable")
    func unusable() async throws {
        let handler = handler(Data(#"{"version":"5"}"#.utf8))
        let (client, memo) = (client(handler, key), handler.memo(key))
        try await client.start()
        #expect(try client.getOptimizelyConfig().revision == "1")
        #expect(memo.parseCount == 2, "the copy and the unusable one")
    }

    @Test("by polling, and not at all if it has not changed")
    func polling() async throws {
        let (clock, handler) = (ManualClock(), Handler())
        let transport = MemoryTransport { _ in
            HTTPResponse(status: 200, headers: ["etag": "\"1\""], body: Array(Self.kept))
        }
        handler.transport = transport
        handler.minimumPollingInterval = 1
        let (client, memo) = (client(handler, key, interval: 1), handler.memo(key))
        handler.clock = clock
        try await client.start()
        #expect(memo.parseCount == 1)
        for (response, revision, count) in [
            (HTTPResponse(status: 304), "1", 1), (HTTPResponse(status: 200, body: Array(Self.new)), "2", 2),
            (HTTPResponse(status: 503), "2", 2),
        ] {
            transport.respond { _ in response }
            let requestCount = transport.requests.count
            try await wait("a pause") { clock.sleeperCount == 1 }
            clock.advance(by: .seconds(2))
            try await wait("the next pause") { transport.requests.count > requestCount && clock.sleeperCount == 1 }
            #expect(try client.getOptimizelyConfig().revision == revision)
            #expect(memo.parseCount == count)
        }
        handler.stopAllUpdates()
    }

    @Test("for each key of a handler that several clients share")
    func keys() throws {
        let (handler, keys) = (MemoryHandler(), (0..<3).map { _ in UUID().uuidString })
        let clients = keys.map { client(handler, $0) }
        for key in keys { handler.saveDatafile(sdkKey: key, dataFile: emptyDatafile(revision: key)) }
        for client in clients + clients { try client.start(datafile: Data(), doFetchDatafileBackground: false) }
        #expect(keys.map { handler.memo($0).parseCount } == [1, 1, 1])
        #expect(try clients.map { try $0.getOptimizelyConfig().revision } == keys)
    }
}
