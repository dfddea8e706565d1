import Foundation
import Optimizely
import Testing

/// `start(datafile:)`: the datafile that is used, and the calls to the handler.
@Suite(.ownThread) struct StartWithDatafileTests {
    private let valid = ShopDatafile.revision("7")
    private let cached = ShopDatafile.revision("8")
    private let invalid = Data("{}".utf8)

    @Test func withoutACacheTheGivenDatafileIsUsed() throws {
        let rig = try Rig(valid)
        #expect(rig.revision == "7" && rig.handler.journal.lines == ["start updates"])
    }

    @Test func theCachedDatafileTakesPrecedence() throws {
        #expect(try Rig(valid, handler: ScriptedHandler(cache: cached)).revision == "8")
        #expect(try Rig(cached, handler: ScriptedHandler(cache: valid)).revision == "7", "even if it is older")
        #expect(try Rig(invalid, handler: ScriptedHandler(cache: cached)).revision == "8")
    }

    @Test func aClientWithoutAKeyHasNoCache() throws {
        let rig = try Rig(nil, sdkKey: "", handler: ScriptedHandler(cache: cached))
        rig.client.datafileHandler = ScriptedHandler(cache: cached)
        try rig.client.start(datafile: valid, doFetchDatafileBackground: false)
        #expect(rig.revision == "7")
    }

    @Test func aCachedDatafileOfAnotherProjectIsIgnored() throws {
        let other = ShopDatafile(revision: "8", project: "Q").data
        let rig = try Rig(valid, handler: ScriptedHandler(cache: other))
        #expect(rig.revision == "7" && rig.logger.has(.warning, "Q"))
    }

    @Test(arguments: ["", "{}", "[]", "null", #"{"version": "4"}"#, "\u{0}", "{\"version\": \"4\""])
    func invalidDatafilesAreRefused(_ text: String) throws {
        let rig = try Rig(nil)
        let expected = OptimizelyError.dataFileInvalid.errorDescription
        #expect(reason { try rig.client.start(datafile: text) } == expected)
        #expect(reason { try rig.client.start(datafile: Data(text.utf8)) } == expected)
        #expect(rig.revision == nil)
        #expect(rig.logger.has(.error), "\(rig.logger.journal.lines)")
    }

    @Test func otherVersionsAreRefused() throws {
        let text = ShopDatafile().text.replacingOccurrences(of: #""version": "4""#, with: #""version": "5""#)
        let rig = try Rig(nil)
        #expect(
            reason { try rig.client.start(datafile: text) }
                == OptimizelyError.dataFileVersionInvalid("5").errorDescription)
    }

    @Test func aFailedStartKeepsTheDatafile() throws {
        let rig = try Rig(valid)
        #expect(throws: OptimizelyError.self) { try rig.client.start(datafile: invalid) }
        #expect(rig.revision == "7" && rig.user().decide(key: "tested").enabled)
    }

    // MARK: Without a datafile

    @Test func anEmptyDatafileUsesTheCachedOneSilently() throws {
        let rig = try Rig(nil, handler: ScriptedHandler(cache: cached))
        try rig.client.start(datafile: "", doUpdateConfigOnNewDatafile: false, doFetchDatafileBackground: false)
        #expect(rig.revision == "8" && !rig.logger.has(.error) && !rig.logger.has(.warning))
    }

    @Test func anUnusableDatafileWithAGoodCacheIsAWarning() throws {
        let rig = try Rig(invalid, handler: ScriptedHandler(cache: cached))
        #expect(rig.revision == "8" && !rig.logger.has(.error))
        #expect(rig.logger.has(.warning, "the given datafile is not used, the cached one is"))
    }

    @Test func aFailedStartStillDownloads() throws {
        let handler = ScriptedHandler()
        handler.answer { [cached] completion in
            handler.saveDatafile(sdkKey: "", dataFile: cached)
            completion(.success(cached))
        }
        let rig = try Rig(nil, handler: handler)
        #expect(throws: OptimizelyError.self) { try rig.client.start(datafile: "") }
        #expect(handler.journal.lines == ["start updates", "download"] && rig.revision == nil)
        #expect(rig.logger.has(.error, "no datafile was given and none is cached"))
        // As on the next launch.
        try rig.client.start(datafile: "")
        #expect(rig.revision == "8")
    }

    @Test func aFailedStartUsesTheDownloadIfTheClientPolls() throws {
        let rig = try Rig(nil, handler: ScriptedHandler(answers: .success(cached)), interval: 600)
        #expect(throws: OptimizelyError.self) { try rig.client.start(datafile: "") }
        #expect(rig.revision == "8")
        rig.handler.poll(ShopDatafile.revision("9"))
        #expect(rig.revision == "9")
    }

    // MARK: Background download

    @Test func aNewerDatafileAppliesFromTheNextStart() throws {
        let handler = ScriptedHandler(answers: .success(cached))
        let rig = try Rig(nil, handler: handler)
        try rig.client.start(datafile: valid)
        #expect(rig.revision == "7" && handler.journal.lines == ["start updates", "download"])
    }

    @Test func aNewerDatafileAppliesAtOnceIfRequested() throws {
        let rig = try Rig(nil, handler: ScriptedHandler(answers: .success(cached)))
        let heard = Heard()
        heard.listen(to: rig.center)
        try rig.client.start(datafile: valid, doUpdateConfigOnNewDatafile: true)
        rig.settle()
        #expect(rig.revision == "8" && heard.datafiles == [cached])
    }

    @Test func aNewerDatafileAppliesAtOnceIfTheClientPolls() throws {
        let rig = try Rig(nil, handler: ScriptedHandler(answers: .success(cached)), interval: 600)
        try rig.client.start(datafile: valid)
        #expect(rig.revision == "8")
    }

    @Test(arguments: [0, 1, 2])
    func otherOutcomesChangeNothing(_ index: Int) throws {
        let answers: [OptimizelyResult<Data?>] = [.success(nil), .failure(.generic), .success(invalid)]
        let rig = try Rig(nil, handler: ScriptedHandler(answers: answers[index]))
        let heard = Heard()
        heard.listen(to: rig.center)
        try rig.client.start(datafile: valid, doUpdateConfigOnNewDatafile: true)
        rig.settle()
        #expect(rig.revision == "7" && heard.datafiles.isEmpty)
    }

    @Test func withoutAHandlerNothingIsFetched() throws {
        let rig = try Rig(nil, handler: ScriptedHandler(cache: cached))
        rig.client.datafileHandler = nil
        try rig.client.start(datafile: valid, doUpdateConfigOnNewDatafile: true)
        #expect(rig.revision == "7" && rig.handler.journal.lines.isEmpty)
        rig.client.close()
    }

    @Test func theDownloadMayOutliveTheClient() throws {
        let pending = Pending()
        let handler = ScriptedHandler { pending.completions.append($0) }
        do {
            let rig = try Rig(nil, handler: handler)
            try rig.client.start(datafile: valid, doUpdateConfigOnNewDatafile: true)
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
final class Pending {
    var completions: [DatafileDownloadCompletionHandler] = []
}
