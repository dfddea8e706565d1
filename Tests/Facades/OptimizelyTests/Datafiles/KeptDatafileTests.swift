#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The copy of a datafile", .ownThread)
struct KeptDatafileTests {
    private func datafile(project: String = "2", revision: String = "1", sdkKey: String = "") -> Data {
        let text = String(decoding: emptyDatafile(revision: revision), as: UTF8.self)
        let named = sdkKey.isEmpty ? text : "{\"sdkKey\":\"\(sdkKey)\"," + text.dropFirst()
        return Data(named.replacingOccurrences(of: "\"projectId\":\"2\"", with: "\"projectId\":\"\(project)\"").utf8)
    }

    private func responding(_ data: Data, _ headers: [String: String] = [:]) -> MemoryTransport {
        MemoryTransport { _ in HTTPResponse(status: 200, headers: headers, body: Array(data)) }
    }

    @Test("is only replaced by a datafile of the same project and key")
    func identity() async {
        let (handler, log) = (MemoryHandler(), MemoryLog(level: .warning))
        handler.log = log
        handler.saveDatafile(sdkKey: "key", dataFile: datafile())
        for other in [datafile(project: "3", revision: "2"), datafile(revision: "2", sdkKey: "secret")] {
            handler.transport = responding(other)
            #expect(await handler.download() == .datafile(other))
            #expect(handler.loadSavedDatafile(sdkKey: "key") == datafile())
        }
        #expect(log.entries.count == 2 && log.entries[0].message.contains("project 3, the cached copy to project 2"))
        #expect(!log.entries.contains { $0.message.contains("secret") })
        let new = datafile(revision: "2", sdkKey: "key")
        handler.transport = responding(new)
        #expect(await handler.download() == .datafile(new))
        #expect(handler.loadSavedDatafile(sdkKey: "key") == new)
    }

    @Test("is replaced if it is unusable")
    func unusable() async {
        let handler = MemoryHandler(response: HTTPResponse(status: 200, body: Array(datafile(project: "3"))))
        handler.saveDatafile(sdkKey: "key", dataFile: Data("{}".utf8))
        _ = await handler.download()
        #expect(handler.loadSavedDatafile(sdkKey: "key") == datafile(project: "3"))
    }

    @Test("is not used for conditional requests if it is unusable", arguments: ["{}", "", #"{"version":"5"}"#])
    func validators(text: String) throws {
        final class Handler: DefaultDatafileHandler {
            let store = MemoryStore()
            override func createDataStore(sdkKey: String) -> any OPTDataStore { store }
        }
        let handler = Handler()
        for (body, names) in [(text, 0), (String(decoding: datafile(), as: UTF8.self), 2)] {
            let record = "Last-Modified: Wed, 01 Jul 2026 10:00:00 GMT\nETag: \"v1\"\n\n" + body
            handler.store.saveItem(forKey: "key", value: Data(record.utf8))
            let request = try #require(handler.getRequest(sdkKey: "key"))
            #expect((request.allHTTPHeaderFields ?? [:]).count == names)
        }
    }

    @Test("is not used if the passed datafile has a higher revision and the handler prefers that")
    func higherRevision() throws {
        let cases = [(false, "9", "10", "9"), (true, "9", "10", "10"), (true, "10", "9", "10"), (true, "7", "7", "7")]
        for (prefersHigher, kept, given, expected) in cases {
            let handler = MemoryHandler()
            handler.prefersHigherRevision = prefersHigher
            let key = UUID().uuidString
            handler.saveDatafile(sdkKey: key, dataFile: emptyDatafile(revision: kept))
            let client = OptimizelyClient(sdkKey: key, logger: RecordingMessages(), datafileHandler: handler)
            try client.start(datafile: emptyDatafile(revision: given), doFetchDatafileBackground: false)
            #expect(try client.getOptimizelyConfig().revision == expected)
        }
    }
}
