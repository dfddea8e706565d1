/// A source with a server returns new datafiles and never discards a good one.
@Suite struct HTTPDatafileSourceTests {
    private let server = DatafileServer()
    private let cache = MemoryDatafileCache()

    private func source(
        _ sdkKey: String = "key", _ change: (inout HTTPDatafileOptions) -> Void = { _ in }
    ) -> HTTPDatafileSource {
        var options = HTTPDatafileOptions()
        options.log = .silent
        change(&options)
        return .http(sdkKey: sdkKey, transport: server.transport, cache: cache, options: options)
    }

    private func error(_ source: HTTPDatafileSource) async -> DatafileSourceError? {
        await #expect(throws: DatafileSourceError.self) { try await source.newest() }
    }

    @Test(arguments: [true, false]) func theContractIsKept(knowsVersions: Bool) async throws {
        let server = DatafileServer(knowsVersions: knowsVersions)
        try await checkDatafileSource {
            HTTPDatafileSource(sdkKey: "key", transport: server.transport)
        } publish: {
            server.publish($1)
        } breakDown: { _ in
            server.fail(HTTPResponse(status: 500))
        }
    }

    // MARK: The request

    @Test func theDefaultAddressIsTheVendorsServer() async throws {
        server.publish(UpdateTests.datafile("1"))
        _ = try await source("a/b").newest()
        _ = try await source("a/b") { $0.token = "secret" }.newest()
        let custom = source("a/b") {
            $0.address = "http://localhost:8080/%@"
            $0.token = "secret"
            $0.deadline = .seconds(3)
        }
        _ = try await custom.newest()
        let bare = server.requests.map { HTTPRequest($0.method, $0.url, body: $0.body, deadline: $0.deadline) }
        #expect(
            bare == [
                HTTPRequest(.get, "https://cdn.optimizely.com/datafiles/a%2Fb.json"),
                HTTPRequest(.get, "https://config.optimizely.com/datafiles/auth/a%2Fb.json"),
                HTTPRequest(.get, "http://localhost:8080/a%2Fb", deadline: .seconds(3)),
            ])
        #expect(server.requests.map { $0.headers["Authorization"] } == [nil, "Bearer secret", "Bearer secret"])
    }

    @Test func bothValidatorsAreSent() async throws {
        server.publish(UpdateTests.datafile("1"))
        let source = source()
        #expect(try await source.newest() != nil)
        #expect(try await source.newest() == nil)
        #expect(server.requests.map(\.headers) == [[:], ["If-None-Match": "\"v1\"", "If-Modified-Since": "date 1"]])
        #expect(
            cache.copy(for: "key")
                == DatafileCopy(datafile: UpdateTests.datafile("1"), lastModified: "date 1", entityTag: "\"v1\""))
        // A copy outlives the source.
        #expect(try await self.source().newest() == nil)
        #expect(self.source().cached()?.bytes == UpdateTests.datafile("1"))
    }

    @Test(arguments: ["", "{}", "{", #"{"version": "5"}"#])
    func unusableCachedDatafilesAreIgnored(text: String) async throws {
        let log = MemoryLog()
        cache.keep(DatafileCopy(datafile: Array(text.utf8), lastModified: "date 1", entityTag: "\"v1\""), for: "key")
        let source = source { $0.log = log }
        #expect(source.cached() == nil)
        server.fail(HTTPResponse(status: 304))
        #expect(await error(source) == .unexpectedNotModified)
        #expect(server.requests.last?.headers == [:])
        server.publish(UpdateTests.datafile("1"))
        #expect(try await source.newest()?.bytes == UpdateTests.datafile("1"))
        #expect(source.cached()?.bytes == UpdateTests.datafile("1"))
        #expect(log.entries.allSatisfy { $0.level == .warning } && !log.entries.isEmpty)
    }

    @Test func invalidAddressesAndTokensAreRefusedBeforeARequest() async {
        let changes: [(inout HTTPDatafileOptions) -> Void] = [
            { $0.address = "nowhere" }, { $0.address = "https://example.test/{key}" }, { $0.token = "" },
            { $0.token = "a\r\nX-Evil: 1" },
        ]
        var errors: [DatafileSourceError?] = [await error(source(""))]
        for change in changes { errors.append(await error(source("secret", change))) }
        #expect(server.requests.isEmpty)
        let words = errors.map { $0.map { "\($0)" } ?? "" }
        #expect(words[0] == "the SDK key is empty")
        #expect(words.allSatisfy { !$0.isEmpty && !$0.contains("secret") && !$0.contains("Evil") })
    }

    /// An app and its extension share a cache: a datafile that one downloaded must still be new to the other.
    @Test func sourcesMayShareACache() async throws {
        let (first, second) = (source(), source())
        server.publish(UpdateTests.datafile("1"))
        #expect(try await first.newest() != nil)
        #expect(second.cached()?.bytes == UpdateTests.datafile("1"))
        #expect(try await second.newest() == nil)
        server.publish(UpdateTests.datafile("2"))
        #expect(try await first.newest()?.bytes == UpdateTests.datafile("2"))
        #expect(try await second.newest()?.bytes == UpdateTests.datafile("2"))
        for source in [first, second] { #expect(try await source.newest() == nil) }
        #expect(server.requests.suffix(2).allSatisfy { $0.headers["If-None-Match"] == "\"v2\"" })
    }

    // MARK: Unusable responses

    @Test func otherProjectsAreRefused() async throws {
        let source = source()
        server.publish(UpdateTests.datafile("1"))
        _ = try await source.newest()
        server.publish(UpdateTests.datafile("2", project: "other"))
        let error = await error(source)
        #expect(error == .otherProject("other", kept: "scripted"))
        #expect(
            error?.description.hasPrefix(
                "the downloaded datafile belongs to project other, the cached copy to project scripted; ") == true)
        #expect(source.cached()?.bytes == UpdateTests.datafile("1"))
    }

    @Test func otherKeysAreRefused() async throws {
        let datafile = String(decoding: UpdateTests.datafile("1"), as: UTF8.self)
        server.publish(#"{"sdkKey": "secret", "# + datafile.dropFirst())
        let error = await error(source())
        #expect(error == .otherKey("secret", expected: "key"))
        // The text contains both keys, abbreviated: whole keys are not logged.
        #expect(error?.description.contains("for SDK key \"secr…\", not \"key\"") == true)
        #expect(try await source("secret").newest() != nil)
    }

    @Test func largeDatafilesAreRefused() async {
        let datafile = UpdateTests.datafile("1")
        server.publish(datafile)
        let error = await error(source { $0.maximumSize = datafile.count - 1 })
        #expect(error == .tooLarge(datafile.count, limit: datafile.count - 1))
    }

    @Test(arguments: [
        (204, ""), (302, "redirects"), (401, "token"), (403, "SDK key"), (404, "no datafile"), (410, "no datafile"),
        (429, "busy"), (500, "a server error"), (503, "a server error"),
    ])
    func otherStatusesAreErrors(status: Int, words: String) async throws {
        let source = source("secret")
        server.publish(UpdateTests.datafile("1"))
        _ = try await source.newest()
        server.fail(HTTPResponse(status: status, headers: ["Retry-After": "70", "Location": "https://evil.test"]))
        let error = await error(source)
        #expect(error == .status(status, retryAfter: .seconds(70)) && error?.retryAfter == .seconds(70))
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("\(status)") && text.contains(words) && !text.contains("secret"))
        #expect(source.cached()?.bytes == UpdateTests.datafile("1"))
        #expect(server.requests.count == 2)
    }

    // MARK: Failing caches

    private struct BrokenCache: DatafileCache {
        func copy(for key: String) throws -> DatafileCopy? { throw TestError() }
        func keep(_ copy: DatafileCopy, for key: String) throws { throw TestError() }
        func forget(_ key: String) throws { throw TestError() }
    }

    @Test func failingCachesAreReportedAndIgnored() async throws {
        let log = MemoryLog(level: .warning)
        var options = HTTPDatafileOptions()
        options.log = log
        let source = HTTPDatafileSource(
            sdkKey: "key", transport: server.transport, cache: BrokenCache(), options: options)
        #expect(source.cached() == nil)
        server.publish(UpdateTests.datafile("1"))
        #expect(try await source.newest()?.bytes == UpdateTests.datafile("1"))
        #expect(log.entries.count == 2, "read once, written once")
        #expect(try await source.newest() == nil)
        #expect(source.cached()?.bytes == UpdateTests.datafile("1"))
    }

    // MARK: Outcomes

    @Test func theLastOutcomeDistinguishesFreshFromStale() async throws {
        let source = source()
        guard case .fromCache = source.lastOutcome else {
            Issue.record("no request yet")
            return
        }
        server.publish(UpdateTests.datafile("1"))
        _ = try await source.newest()
        guard case .fresh = source.lastOutcome, source.lastOutcome.isCurrent else {
            Issue.record("fresh")
            return
        }
        _ = try await source.newest()
        guard case .unchanged = source.lastOutcome, source.lastOutcome.isCurrent else {
            Issue.record("unchanged")
            return
        }
        server.fail(HTTPResponse(status: 410))
        _ = await error(source)
        guard case .failed(DatafileSourceError.status(410, nil)) = source.lastOutcome, !source.lastOutcome.isCurrent
        else {
            Issue.record("failed")
            return
        }
    }

    // MARK: Concurrent calls

    @Test func concurrentRefreshesShareOneRequest() async throws {
        let gate = Gate()
        let transport = MemoryTransport { _ in
            await gate.pass()
            return HTTPResponse(status: 200, body: UpdateTests.datafile("1"))
        }
        let source = HTTPDatafileSource(sdkKey: "key", transport: transport)
        let callers = Collected<Bool>()
        let results = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    callers.add(true)
                    return try await source.newest()?.bytes
                }
            }
            try await wait("all tasks are about to call") { gate.waitingCount == 1 && callers.count == 20 }
            try await Task.sleep(for: .milliseconds(50))
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 20 && results.allSatisfy { $0 == UpdateTests.datafile("1") })
        #expect(transport.requests.count == 1)
    }

    @Test func aRequestWithoutWaitingCallersIsCancelled() async throws {
        let clock = ManualClock()
        let transport = MemoryTransport(clock: clock) { _ in
            try await clock.sleep(for: .seconds(3_600))
            return HTTPResponse(status: 500)
        }
        let source = HTTPDatafileSource(sdkKey: "key", transport: transport)
        let callers = (0..<2).map { _ in Task { try await source.newest() } }
        try await wait("the request has begun") { clock.sleeperCount == 2 }
        callers[0].cancel()
        callers[1].cancel()
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
        try await wait("no task sleeps") { clock.sleeperCount == 0 }
        transport.respond { _ in HTTPResponse(status: 200, body: UpdateTests.datafile("1")) }
        #expect(try await source.newest()?.bytes == UpdateTests.datafile("1"))
    }
}
