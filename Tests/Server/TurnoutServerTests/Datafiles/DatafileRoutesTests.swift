import TestSupport
import TurnoutServer

@Suite("Datafiles over HTTP")
struct DatafileRoutesTests {
    private let clock = FixedWallClock(1_790_000_000_000)
    private let directory: DatafileDirectory
    private let changes: FlagChangeStreams

    init() throws {
        directory = DatafileDirectory(wallClock: clock) { $0.first == UInt8(ascii: "{") ? [0x1F, 0x8B] : nil }
        changes = FlagChangeStreams(directory, streams: EventStreamHub())
        try directory.publish(datafile(revision: "1"), for: "key")
    }

    private func get(
        _ path: String, _ headers: HeaderFields = HeaderFields(), tokens: DatafileTokens = DatafileTokens()
    ) async -> ServerResponse {
        let routes = DatafileRoutes(directory, tokens: tokens, changes: changes)
        return await RouteTable(routes.all).respond(to: ServerRequest(RequestHead("GET", path, headers: headers)))
            .response
    }

    @Test func aDatafileHasItsValidators() async throws {
        let response = await get("/datafiles/key.json")
        #expect(response.status == 200)
        #expect(response.content == datafile(revision: "1"))
        #expect(response.headers["Last-Modified"] == "Mon, 21 Sep 2026 14:13:20 GMT")
        let tag = try #require(response.headers["ETag"])
        #expect(await get("/datafiles/key.json", ["If-None-Match": "W/\(tag), \"other\""]).status == 304)
        #expect(await get("/datafiles/key.json", ["If-None-Match": "\"other\""]).status == 200)
        let date = try #require(response.headers["Last-Modified"])
        #expect(await get("/datafiles/key.json", ["If-Modified-Since": date]).status == 304)
        #expect(await get("/datafiles/key.json", ["If-Modified-Since": date, "If-None-Match": "\"x\""]).status == 200)
        #expect(await get("/datafiles/key.json", ["If-Modified-Since": "yesterday"]).status == 200)
        // The time of another server, or of this one before its clock was set back.
        let later = HTTPDate.text(2_000_000_000)
        #expect(await get("/datafiles/key.json", ["If-Modified-Since": later]).status == 200)
    }

    @Test func twoChangesInOneSecondHaveDifferentTimes() async throws {
        let first = try #require(await get("/datafiles/key.json").headers["Last-Modified"])
        try directory.publish(datafile(revision: "2"), for: "key")
        #expect(await get("/datafiles/key.json", ["If-Modified-Since": first]).status == 200)
        #expect(await get("/datafiles/key.json").headers["Last-Modified"] == "Mon, 21 Sep 2026 14:13:21 GMT")
    }

    @Test func aDatafileThatWasRemovedMeanwhileHasAnotherTime() async throws {
        let first = try #require(await get("/datafiles/key.json").headers["Last-Modified"])
        directory.remove("key")
        try directory.publish(datafile(revision: "2"), for: "key")
        #expect(await get("/datafiles/key.json", ["If-Modified-Since": first]).status == 200)
    }

    @Test(arguments: [
        ("gzip", true), ("br, gzip;q=0.5", true), ("gzip;q=0", false), ("br", false), ("*", true),
        ("gzip;q=0, *", false), ("*;q=0, GZIP", true), ("gzip ; Q=0", false),
    ])
    func compressedContentIsServedOnRequest(accepted: String, isCompressed: Bool) async {
        let response = await get("/datafiles/key.json", ["Accept-Encoding": accepted])
        #expect(response.headers["Content-Encoding"] == (isCompressed ? "gzip" : nil))
        #expect((response.content == [0x1F, 0x8B]) == isCompressed)
        #expect(response.headers["Vary"] == "Accept-Encoding")
    }

    @Test func unknownKeysAndWrongTokensAreForbidden() async {
        let tokens = DatafileTokens(["key": ["one", "two"]])
        #expect(await get("/datafiles/other.json").status == 403)
        #expect(await get("/datafiles/key.json", tokens: tokens).status == 403)
        #expect(await get("/datafiles/auth/key.json", tokens: tokens).status == 403)
        #expect(await get("/datafiles/auth/key.json", ["Authorization": "Bearer three"], tokens: tokens).status == 403)
        #expect(await get("/datafiles/auth/key.json", ["authorization": "bearer two"], tokens: tokens).status == 200)
        #expect(await get("/json/7.json", tokens: tokens).status == 403)
        for path in ["/datafiles/auth/key/changes", "/datafiles/key/changes"] {
            #expect(await get(path, tokens: tokens).status == 403)
            #expect(await get(path, ["Authorization": "Bearer one"], tokens: tokens).status == 200)
        }
    }

    @Test func olderClientsNameTheProject() async {
        #expect(await get("/json/7.json").status == 200)
        #expect(await get("/json/8.json").status == 403)
    }

    @Test func olderClientsGetTheFirstEnvironment() async throws {
        // By their keys, the development environment is the first.
        try directory.publish(datafile(revision: "2", environment: "development"), for: "a_development")
        #expect(await get("/json/7.json").status == 403)
        try directory.publish(datafile(revision: "3", environment: "production"), for: "production")
        #expect(await get("/json/7.json").content == datafile(revision: "3", environment: "production"))
        #expect(await get("/json/7.json", tokens: DatafileTokens(["production": ["one"]])).status == 403)
        let watched = WatchedDatafiles("flags.yaml", into: directory, log: .silent) {
            []
        } load: {
            var contents = WatchedDatafiles.Contents([
                "b_staging": datafile(revision: "4"), "a_development": datafile(revision: "5"),
            ])
            contents.firstKey = "b_staging"
            return contents
        }
        try watched.start()
        #expect(await get("/json/7.json").content == datafile(revision: "4"))
    }

    @Test func unusableDatafilesReplaceNothing() async {
        #expect(throws: DatafileError.self) { try directory.publish(Array("{".utf8), for: "key") }
        #expect(await get("/datafiles/key.json").content == datafile(revision: "1"))
    }
}
