/// `start(datafile:)`: the datafile that is used, and the calls to the handler.
@Suite(.ownThread) struct StartWithDatafileTests {
    private let valid = ShopDatafile.revision("7")
    private let cached = ShopDatafile.revision("8")
    private let invalid = Data("{}".utf8)

    @Test func withoutACacheTheGivenDatafileIsUsed() throws {
        let setup = try TestSetup(valid)
        #expect(setup.revision == "7" && setup.handler.journal.lines == ["start updates"])
    }

    @Test func theCachedDatafileTakesPrecedence() throws {
        #expect(try TestSetup(valid, handler: ScriptedHandler(cache: cached)).revision == "8")
        #expect(try TestSetup(cached, handler: ScriptedHandler(cache: valid)).revision == "7", "even if it is older")
        #expect(try TestSetup(invalid, handler: ScriptedHandler(cache: cached)).revision == "8")
    }

    @Test func aClientWithoutAKeyHasNoCache() throws {
        let setup = try TestSetup(nil, sdkKey: "", handler: ScriptedHandler(cache: cached))
        setup.client.datafileHandler = ScriptedHandler(cache: cached)
        try setup.client.start(datafile: valid, doFetchDatafileBackground: false)
        #expect(setup.revision == "7")
    }

    @Test func aCachedDatafileOfAnotherProjectIsIgnored() throws {
        let other = ShopDatafile(revision: "8", project: "Q").data
        let setup = try TestSetup(valid, handler: ScriptedHandler(cache: other))
        #expect(setup.revision == "7" && setup.logger.has(.warning, "Q"))
    }

    @Test(arguments: ["", "{}", "[]", "null", #"{"version": "4"}"#, "\u{0}", "{\"version\": \"4\""])
    func invalidDatafilesAreRefused(_ text: String) throws {
        let setup = try TestSetup(nil)
        let expected = OptimizelyError.dataFileInvalid.errorDescription
        #expect(reason { try setup.client.start(datafile: text) } == expected)
        #expect(reason { try setup.client.start(datafile: Data(text.utf8)) } == expected)
        #expect(setup.revision == nil)
        #expect(setup.logger.has(.error), "\(setup.logger.journal.lines)")
    }

    @Test func otherVersionsAreRefused() throws {
        let text = ShopDatafile().text.replacingOccurrences(of: #""version": "4""#, with: #""version": "5""#)
        let setup = try TestSetup(nil)
        #expect(
            reason { try setup.client.start(datafile: text) }
                == OptimizelyError.dataFileVersionInvalid("5").errorDescription)
    }

    @Test func aFailedStartKeepsTheDatafile() throws {
        let setup = try TestSetup(valid)
        #expect(throws: OptimizelyError.self) { try setup.client.start(datafile: invalid) }
        #expect(setup.revision == "7" && setup.user().decide(key: "tested").enabled)
    }

    // MARK: Without a datafile

    @Test func anEmptyDatafileUsesTheCachedOneSilently() throws {
        let setup = try TestSetup(nil, handler: ScriptedHandler(cache: cached))
        try setup.client.start(datafile: "", doUpdateConfigOnNewDatafile: false, doFetchDatafileBackground: false)
        #expect(setup.revision == "8" && !setup.logger.has(.error) && !setup.logger.has(.warning))
    }

    @Test func anUnusableDatafileWithAGoodCacheIsAWarning() throws {
        let setup = try TestSetup(invalid, handler: ScriptedHandler(cache: cached))
        #expect(setup.revision == "8" && !setup.logger.has(.error))
        #expect(setup.logger.has(.warning, "the bundled datafile cannot be used: "))
    }

    @Test func aFailedStartStillDownloads() throws {
        let handler = ScriptedHandler()
        handler.respond { [cached] completion in
            handler.saveDatafile(sdkKey: "", dataFile: cached)
            completion(.success(cached))
        }
        let setup = try TestSetup(nil, handler: handler)
        #expect(throws: OptimizelyError.self) { try setup.client.start(datafile: "") }
        #expect(handler.journal.lines == ["start updates", "download"] && setup.revision == nil)
        #expect(setup.logger.has(.error, "no datafile was given and none is cached"))
        // As on the next launch.
        try setup.client.start(datafile: "")
        #expect(setup.revision == "8")
    }

    @Test func aFailedStartUsesTheDownloadIfTheClientPolls() throws {
        let setup = try TestSetup(nil, handler: ScriptedHandler(downloads: .success(cached)), interval: 600)
        #expect(throws: OptimizelyError.self) { try setup.client.start(datafile: "") }
        #expect(setup.revision == "8")
        setup.handler.poll(ShopDatafile.revision("9"))
        #expect(setup.revision == "9")
    }

    // MARK: Background download

    @Test(arguments: [0, 1, 2])
    func otherOutcomesChangeNothing(_ index: Int) throws {
        let downloads: [OptimizelyResult<Data?>] = [.success(nil), .failure(.generic), .success(invalid)]
        let setup = try TestSetup(nil, handler: ScriptedHandler(downloads: downloads[index]))
        let received = RecordedNotifications()
        received.listen(to: setup.center)
        try setup.client.start(datafile: valid, doUpdateConfigOnNewDatafile: true)
        setup.settle()
        #expect(setup.revision == "7" && received.datafiles.isEmpty)
    }

    @Test func withoutAHandlerNothingIsFetched() throws {
        let setup = try TestSetup(nil, handler: ScriptedHandler(cache: cached))
        setup.client.datafileHandler = nil
        try setup.client.start(datafile: valid, doUpdateConfigOnNewDatafile: true)
        #expect(setup.revision == "7" && setup.handler.journal.lines.isEmpty)
        setup.client.close()
    }

    @Test func theDownloadMayOutliveTheClient() throws {
        let pending = Pending()
        let handler = ScriptedHandler { pending.completions.append($0) }
        do {
            let setup = try TestSetup(nil, handler: handler)
            try setup.client.start(datafile: valid, doUpdateConfigOnNewDatafile: true)
        }
        #expect(pending.completions.count == 1)
        pending.completions.forEach { $0(.success(cached)) }
    }

    // MARK: Polling

    @Test func intervals() throws {
        let register = { (interval: Int?) -> [String] in
            let handler = ScriptedHandler()
            _ = OptimizelyClient(
                sdkKey: UUID().uuidString, datafileHandler: handler, periodicDownloadInterval: interval)
            return handler.journal.lines
        }
        #expect(register(nil) == ["interval 600"] && register(300) == ["interval 300"])
        #expect(register(0) == [] && register(-1) == [] && register(.min) == [] && register(.max).count == 1)
        let handler = ScriptedHandler()
        _ = OptimizelyClient(sdkKey: UUID().uuidString, datafileHandler: handler)
        #expect(handler.journal.lines.isEmpty)
    }
}

/// Completion handlers that a test calls later.
final class Pending { var completions: [DatafileDownloadCompletionHandler] = [] }
