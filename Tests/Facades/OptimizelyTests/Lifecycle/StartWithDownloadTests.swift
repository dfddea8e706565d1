/// `start(completion:)`; see also `StartSampleTests`.
@Suite(.ownThread) struct StartWithDownloadTests {
    private let newest = ShopDatafile.revision("9")
    private let invalid = Data("{}".utf8)

    private func start(_ handler: ScriptedHandler, bundled: Data? = nil) throws -> (TestSetup, [OptimizelyResult<Data>])
    {
        let setup = try TestSetup(nil, handler: handler)
        var results: [OptimizelyResult<Data>] = []
        if let bundled {
            setup.client.start(bundledDatafile: bundled) { results.append($0) }
        } else {
            setup.client.start { results.append($0) }
        }
        return (setup, results)
    }

    private func failure(_ result: OptimizelyResult<Data>?) -> String? {
        if case .failure(let error) = result { error.errorDescription } else { nil }
    }

    private func success(_ result: OptimizelyResult<Data>?) -> Data? {
        if case .success(let data) = result { data } else { nil }
    }

    @Test func theTimeoutReachesTheHandler() throws {
        let setup = try TestSetup(nil)
        setup.client.start(resourceTimeout: 2.5)
        #expect(setup.handler.journal.lines == ["download or cache 2.5"])
    }

    @Test func noDatafileIsAnError() throws {
        let key = UUID().uuidString
        let setup = try TestSetup(nil, sdkKey: key)
        var result: OptimizelyResult<Data>?
        setup.client.start { result = $0 }
        #expect(failure(result) == OptimizelyError.datafileLoadingFailed(key).errorDescription)
    }

    @Test func anInvalidDatafileIsAnError() throws {
        let (setup, results) = try start(ScriptedHandler(downloads: .success(invalid)))
        #expect(failure(results.first) == OptimizelyError.dataFileInvalid.errorDescription && setup.revision == nil)
        #expect(setup.handler.journal.lines == ["download or cache"])
    }

    @Test func aFailureAfterAStartKeepsTheDatafile() throws {
        let (setup, _) = try start(ScriptedHandler(downloads: .success(newest)))
        for download in [.success(nil), .success(invalid), .failure(.generic)] as [OptimizelyResult<Data?>] {
            setup.handler.respond { $0(download) }
            setup.client.start { #expect(failure($0) != nil) }
            #expect(setup.revision == "9")
        }
    }

    // MARK: The cached datafile

    @Test(arguments: [false, true]) func anUnusableDownloadFallsBackToTheCachedDatafile(isBundled: Bool) throws {
        let cached = ShopDatafile.revision("4")
        let handler = ScriptedHandler(cache: cached, downloads: .success(invalid))
        let (setup, results) = try start(handler, bundled: isBundled ? ShopDatafile.revision("1") : nil)
        #expect(setup.revision == "4" && success(results.first) == cached && results.count == 1)
        #expect(handler.loadSavedDatafile(sdkKey: "") == cached)
        #expect(handler.journal.lines == ["download or cache", "start updates"])
        #expect(setup.logger.has(.warning, "using the cached one"))
    }

    @Test(arguments: ["{}", "[]"]) func anUnusableCachedDatafileIsDropped(cached: String) throws {
        let bundled = ShopDatafile.revision("1")
        let handler = ScriptedHandler(cache: Data(cached.utf8), downloads: .success(invalid))
        let (setup, results) = try start(handler, bundled: bundled)
        #expect(setup.revision == "1" && success(results.first) == bundled)
        #expect(!handler.isDatafileSaved(sdkKey: ""))
        setup.client.start { #expect(failure($0) == OptimizelyError.dataFileInvalid.errorDescription) }
    }

    // MARK: The bundled datafile

    @Test(arguments: [0, 1, 2])
    func anUnusableDownloadFallsBackToTheBundledDatafile(_ index: Int) throws {
        let downloads: [OptimizelyResult<Data?>] = [.success(nil), .failure(.generic), .success(invalid)]
        let bundled = ShopDatafile.revision("1")
        let (setup, results) = try start(ScriptedHandler(downloads: downloads[index]), bundled: bundled)
        #expect(setup.revision == "1" && success(results.first) == bundled && results.count == 1)
        #expect(setup.handler.journal.lines == ["download or cache", "start updates"])
    }

    @Test func anInvalidBundledDatafileDoesNotHideTheFailure() throws {
        let error = OptimizelyError.datafileDownloadFailed("no")
        let (setup, results) = try start(ScriptedHandler(downloads: .failure(error)), bundled: invalid)
        #expect(failure(results.first) == error.errorDescription && setup.revision == nil)
    }

    // MARK: Irregular handlers

    @Test func onlyTheFirstResultOfAHandlerCounts() async throws {
        let handler = ScriptedHandler(downloads: .success(newest), .failure(.generic), .success(ShopDatafile.data))
        let (setup, results) = try start(handler)
        #expect(results.count == 1 && setup.revision == "9")
        try await setup.client.start()
        #expect(setup.revision == "9")
    }

    @Test func aHandlerThatNeverCompletesIsAFailure() async throws {
        let setup = try TestSetup(nil, handler: ScriptedHandler { _ in })
        var result: OptimizelyResult<Data>?
        setup.client.start { result = $0 }
        #expect(failure(result) == OptimizelyError.generic.errorDescription)
        await #expect(throws: OptimizelyError.self) { try await setup.client.start() }
    }

    @Test func aReleasedClientIsNotReady() throws {
        let pending = Pending()
        var result: OptimizelyResult<Data>?
        do {
            let setup = try TestSetup(nil, handler: ScriptedHandler { pending.completions.append($0) })
            setup.client.start { result = $0 }
        }
        pending.completions.forEach { $0(.success(newest)) }
        #expect(failure(result) == OptimizelyError.sdkNotReady.errorDescription)
    }

    @Test func aCompletionMayUseTheClient() throws {
        let setup = try TestSetup(nil, handler: ScriptedHandler(downloads: .success(newest)))
        setup.client.start { _ in
            #expect(setup.user().decide(key: "tested").enabled)
            setup.client.close()
            setup.client.start { _ in #expect(setup.revision == "9") }
        }
        #expect(setup.revision == "9")
    }

    @Test func manyStartsAtOnce() throws {
        let setup = try TestSetup(nil, handler: ScriptedHandler(downloads: .success(newest)))
        DispatchQueue.concurrentPerform(iterations: 50) { index in
            switch index % 3 {
            case 0: setup.client.start { #expect(success($0) == newest) }
            case 1: try? setup.client.start(datafile: ShopDatafile.data, doUpdateConfigOnNewDatafile: true)
            default: setup.handler.poll(ShopDatafile.revision("\(index)"))
            }
            #expect(["a", "tested"].allSatisfy { setup.user().decide(key: $0).flagKey == $0 })
        }
        #expect(setup.revision != nil)
    }
}
