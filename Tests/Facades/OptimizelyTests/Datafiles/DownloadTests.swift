#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A download of the default handler", .ownThread)
struct DownloadTests {
    static let kept = emptyDatafile(revision: "1")
    static let new = emptyDatafile(revision: "2")

    @Test("returns the new datafile and caches it", arguments: [false, true])
    func newDatafile(returnsCache: Bool) async {
        let handler = MemoryHandler(response: HTTPResponse(status: 200, body: Array(Self.new)))
        handler.saveDatafile(sdkKey: "key", dataFile: Self.kept)
        #expect(await handler.download(returnsCache: returnsCache) == .datafile(Self.new))
        #expect(handler.loadSavedDatafile(sdkKey: "key") == Self.new)
    }

    @Test("returns JSON that is not a datafile, but keeps the earlier copy", arguments: ["{}", "[]"])
    func json(body: String) async {
        let handler = MemoryHandler(response: HTTPResponse(status: 200, body: Array(body.utf8)))
        handler.saveDatafile(sdkKey: "key", dataFile: Self.kept)
        #expect(await handler.download() == .datafile(Data(body.utf8)))
        #expect(handler.loadSavedDatafile(sdkKey: "key") == Self.kept)
    }

    @Test(
        "returns the copy if the response is unusable, and fails without a copy",
        arguments: [
            HTTPResponse(status: 200, body: Array("<html>".utf8)), HTTPResponse(status: 200, body: Array("12".utf8)),
            HTTPResponse(status: 200), HTTPResponse(status: 403), HTTPResponse(status: 500),
        ], [false, true])
    func unusableResponse(response: HTTPResponse, returnsCache: Bool) async {
        let handler = MemoryHandler(response: response)
        guard case .loadingFailed(let hint) = await handler.download(returnsCache: returnsCache) else {
            return #expect(Bool(false))
        }
        #expect(hint.hasPrefix("the datafile server responded with \(response.status)"))
        handler.saveDatafile(sdkKey: "key", dataFile: Self.kept)
        #expect(await handler.download(returnsCache: returnsCache) == .datafile(Self.kept))
        #expect(handler.loadSavedDatafile(sdkKey: "key") == Self.kept)
    }

    @Test("reports its outcome, and why it failed")
    func outcome() async throws {
        let log = MemoryLog(level: .warning)
        let handler = MemoryHandler(response: HTTPResponse(status: 403))
        handler.log = log
        handler.saveDatafile(sdkKey: "key", dataFile: Self.kept)
        #expect(!handler.lastOutcome(sdkKey: "key").isCurrent)
        _ = await handler.download()
        guard case .failed(let error as DatafileSourceError) = handler.lastOutcome(sdkKey: "key") else {
            Issue.record("\(handler.lastOutcome(sdkKey: "key"))")
            return
        }
        #expect(error == .status(403))
        handler.transport = MemoryTransport { _ in throw TransportError(.unreachable, "host a.example not found") }
        _ = await handler.download()
        handler.endPointStringFormat = ""
        _ = await handler.download()
        let end = "; the cached copy is used, if there is one"
        #expect(
            log.entries.map(\.message) == [
                "datafile: the datafile server responded with 403: the SDK key is unknown, "
                    + "or the access token is not accepted" + end, "datafile: host a.example not found" + end,
                "datafile: the SDK key or endPointStringFormat gives no address" + end,
            ])
        handler.endPointStringFormat = "https://a.example/%@"
        handler.transport = MemoryTransport { _ in HTTPResponse(status: 200, body: Array(Self.new)) }
        _ = await handler.download()
        guard case .fresh = handler.lastOutcome(sdkKey: "key") else { return #expect(Bool(false)) }
        handler.transport = MemoryTransport { _ in HTTPResponse(status: 304) }
        _ = await handler.download()
        guard case .unchanged = handler.lastOutcome(sdkKey: "key") else { return #expect(Bool(false)) }
        #expect(handler.lastOutcome(sdkKey: "key").isCurrent && !handler.lastOutcome(sdkKey: "other").isCurrent)
    }

    @Test("reports no change, or returns the copy if the caller asks for it")
    func notModified() async {
        let handler = MemoryHandler(response: HTTPResponse(status: 304))
        #expect(await handler.download() == .noChange)
        let hint = "\(DatafileSourceError.unexpectedNotModified)"
        #expect(await handler.download(returnsCache: true) == .loadingFailed(hint))
        handler.saveDatafile(sdkKey: "key", dataFile: Self.kept)
        #expect(await handler.download() == .noChange)
        #expect(await handler.download(returnsCache: true) == .datafile(Self.kept))
    }

    @Test("returns the copy if there is no response, and fails without a copy", arguments: [false, true])
    func noResponse(returnsCache: Bool) async {
        let handler = MemoryHandler()
        handler.log = .silent
        #expect(await handler.download(returnsCache: returnsCache) == .downloadFailed("no network transport"))
        handler.transport = MemoryTransport { _ in throw TransportError(.unreachable, "no route") }
        #expect(await handler.download(returnsCache: returnsCache) == .downloadFailed("no route"))
        handler.saveDatafile(sdkKey: "key", dataFile: Self.kept)
        #expect(await handler.download(returnsCache: returnsCache) == .datafile(Self.kept))
    }

    @Test("returns the copy if there is no URL, and fails without a copy", arguments: [false, true])
    func noAddress(returnsCache: Bool) async {
        let handler = MemoryHandler(response: HTTPResponse(status: 200, body: Array(Self.new)))
        handler.log = .silent
        handler.endPointStringFormat = ""
        #expect(handler.getRequest(sdkKey: "key") == nil)
        #expect(await handler.download(returnsCache: returnsCache) == .downloadFailed("no address for the SDK key"))
        handler.saveDatafile(sdkKey: "key", dataFile: Self.kept)
        #expect(await handler.download(returnsCache: returnsCache) == .datafile(Self.kept))
    }

    @Test("can block, and returns nil if nothing changed")
    func blocking() {
        let handler = MemoryHandler(response: HTTPResponse(status: 200, body: Array(Self.new)))
        #expect(handler.downloadDatafile(sdkKey: "key") == Self.new)
        handler.transport = MemoryTransport { _ in HTTPResponse(status: 304) }
        #expect(handler.downloadDatafile(sdkKey: "key") == nil)
    }
}

@Suite("A request for a datafile", .ownThread)
struct DatafileRequestTests {
    @Test("has the key in its URL, and the remaining time as its deadline")
    func address() async {
        let transport = MemoryTransport { _ in HTTPResponse(status: 304) }
        let handler = MemoryHandler()
        handler.transport = transport
        _ = await handler.download("a/b", timeout: 3)
        handler.endPointStringFormat = "https://example.test/%@/file"
        _ = await handler.download("key", timeout: 0)
        let expected = [
            HTTPRequest(.get, "https://cdn.optimizely.com/datafiles/a%2Fb.json", deadline: .seconds(3)),
            HTTPRequest(.get, "https://example.test/key/file", deadline: .seconds(60)),
        ]
        #expect(transport.requests == expected)
    }

    @Test("is not made for an invalid key", arguments: ["", ".", ".."])
    func noName(key: String) async {
        let transport = MemoryTransport { _ in HTTPResponse(status: 200, body: Array(DownloadTests.new)) }
        let handler = MemoryHandler()
        handler.transport = transport
        handler.log = .silent
        for address in ["https://example.test/%@/file", "https://example.test/%@", "https://example.test/%@.json"] {
            handler.endPointStringFormat = address
            #expect(handler.getRequest(sdkKey: key) == nil)
            #expect(await handler.download(key) == .downloadFailed("no address for the SDK key"))
        }
        #expect(transport.requests.isEmpty)
        #expect(handler.getRequest(sdkKey: "...") != nil)
    }

    @Test("is conditional while there is a copy from that server")
    func validators() async {
        let response = HTTPResponse(
            status: 200, headers: ["last-modified": "Wed, 01 Jul 2026 10:00:00 GMT", "etag": "\"v1\""],
            body: Array(emptyDatafile(revision: "1")))
        let transport = MemoryTransport { _ in response }
        let handler = MemoryHandler()
        handler.transport = transport
        for _ in 1...2 { _ = await handler.download() }
        handler.removeSavedDatafile(sdkKey: "key")
        _ = await handler.download()
        handler.saveDatafile(sdkKey: "key", dataFile: emptyDatafile(revision: "2"))
        _ = await handler.download()
        let validators = ["If-Modified-Since": "Wed, 01 Jul 2026 10:00:00 GMT", "If-None-Match": "\"v1\""]
        #expect(transport.requests.map(\.headers) == [[:], validators, [:], [:]])
    }

    @Test("can be overridden, as can the session, the reading of responses, and the stores")
    func hooks() async {
        final class Custom: MemoryHandler {
            override func getRequest(sdkKey: String) -> URLRequest? {
                guard var request = super.getRequest(sdkKey: sdkKey) else { return nil }
                request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
                return request
            }
            override func getResponseData(sdkKey: String, response: HTTPURLResponse, url: URL?) -> Data? {
                // The content is available from the file and from the standard implementation.
                guard let url, let data = try? Data(contentsOf: url) else { return nil }
                guard data == super.getResponseData(sdkKey: sdkKey, response: response, url: nil) else { return nil }
                return Data(data.reversed())
            }
        }
        let body = emptyDatafile(revision: "1")
        let transport = MemoryTransport { _ in HTTPResponse(status: 200, body: Array("{\"a\":[]}".utf8)) }
        let handler = Custom()
        handler.transport = transport
        handler.log = .silent
        handler.saveDatafile(sdkKey: "key", dataFile: body)
        #expect(await handler.download() == .datafile(Data("}][:\"a\"{".utf8)))
        #expect(transport.requests.first?.headers["Authorization"] == "Bearer t")
        #expect(handler.loadSavedDatafile(sdkKey: "key") == body)
        #expect(handler.storeCount.withLock { $0 } == 1)
    }

    @Test("uses the session of a subclass")
    func session() async {
        final class Custom: MemoryHandler {
            let sessionCount = Locked(0)
            override func getSession(resourceTimeoutInterval: Double?) -> URLSession {
                sessionCount.withLock { $0 += 1 }
                return URLSession(configuration: .ephemeral)
            }
        }
        let handler = Custom(response: HTTPResponse(status: 304))
        // Connections to this port are refused, so a response of the transport would differ.
        handler.endPointStringFormat = "http://127.0.0.1:9/%@"
        let outcome = await handler.download()
        guard case .downloadFailed = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(handler.sessionCount.withLock { $0 } == 1)
    }
}

@Suite("Copies of datafiles", .ownThread)
struct DatafileCopyTests {
    @Test("are files whose names stay in the directory, whatever the key")
    func files() throws {
        final class Handler: DefaultDatafileHandler {}
        let names = ["../../etc/passwd", ".hidden", "a/b", "a%2fb", String(repeating: "k", count: 400)].map { key in
            (Handler().createDataStore(sdkKey: key) as? DataStoreFile<Data>)?.url.lastPathComponent ?? ""
        }
        #expect(names[0] == "%2E.%2F..%2Fetc%2Fpasswd")
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && $0.utf8.count <= 255 })
    }

    @Test("are cached per key, and not without a key")
    func keys() {
        let handler = MemoryHandler()
        handler.saveDatafile(sdkKey: "a", dataFile: Data("{}".utf8))
        handler.saveDatafile(sdkKey: "", dataFile: Data("{}".utf8))
        #expect(handler.isDatafileSaved(sdkKey: "a"))
        #expect(!handler.isDatafileSaved(sdkKey: "b"))
        #expect(!handler.isDatafileSaved(sdkKey: ""))
        handler.removeSavedDatafile(sdkKey: "a")
        #expect(handler.loadSavedDatafile(sdkKey: "a") == nil)
    }
}
