/// Starts that wait for the newest datafile; see also `StartSampleTests`.
@Suite(.blocking) struct AsynchronousStartTests {
    private let network: TestNetwork
    private let sdkKey = unique("key")
    private let handler = FileHandler()
    private var address: String { Address.datafile(sdkKey) }

    init() throws {
        network = try TestNetwork()
        try network.publish(Datafile(), for: sdkKey, etag: "\"1\"")
    }

    private func client() -> OptimizelyClient { network.optimizely(sdkKey, handler: handler) }

    @Test func anAppMayStartAgainInTheForeground() async throws {
        let optimizely = client()
        #expect(await optimizely.startCalledBack() == "1")
        #expect(await optimizely.startCalledBack() == "1", "nothing has changed")
        try network.publish(Datafile(revision: "2"), for: sdkKey, etag: "\"2\"")
        #expect(await optimizely.startCalledBack() == "2")
        try network.always(address, .status(503))
        #expect(await optimizely.startCalledBack() == "2", "the copy")
        // There are no other requests.
        let tags = try network.requests(address).map { $0.headers["if-none-match"] }
        #expect(tags == [nil, "\"1\"", "\"1\"", "\"2\""])
    }

    // MARK: Failures

    private static let failures = [
        Reply.status(403), .status(404), .status(500), .redirect(to: "/elsewhere"), .reset, .json("{}"),
        .json("<html>"),
    ]

    @Test(arguments: failures) func withoutAResponseTheCacheAndThenTheBundleIsUsed(_ failure: Reply) async throws {
        try network.always(address, failure)
        let optimizely = client()
        let bundled = Datafile(revision: "bundled").data
        #expect(await optimizely.startCalledBack() == nil && optimizely.revision == nil)
        await #expect(throws: OptimizelyError.self) { try await optimizely.start() }
        #expect(await optimizely.startCalledBack(bundled: bundled) == "bundled")
        try await optimizely.start(bundledDatafile: bundled)
        #expect(optimizely.createUserContext(userId: "ada").decide(key: "tested").variationKey == "on")

        try network.always(address, nil)
        #expect(await optimizely.startCalledBack(bundled: bundled) == "1", "the server takes precedence")
        try network.always(address, .reset)
        try await optimizely.start(bundledDatafile: bundled)
        #expect(optimizely.revision == "1", "then the cached copy")
    }

    // MARK: URLs and tokens

    @Test func authenticatedDatafilesUseATokenAndAnotherHost() async throws {
        try network.publish(Datafile(revision: "safe"), for: sdkKey, at: Address.safeDatafile)
        handler.datafileAccessToken = "the-token"
        #expect(await client().startCalledBack() == "safe")
        let new = FlagClient(network.configuration { $0.datafiles = network.source(sdkKey) { $0.token = "the-token" } })
        try await new.start()
        #expect(new.project?.revision == "safe")
        let requests = try network.requests(Address.safeDatafile(sdkKey))
        #expect(requests.map { $0.headers["authorization"] } == ["Bearer the-token", "Bearer the-token"])
        #expect(try network.requests(address).isEmpty)
    }

    @Test func tokensAreNotForwarded() async throws {
        handler.datafileAccessToken = "the-token"
        try network.always(Address.safeDatafile(sdkKey), .redirect(to: "/elsewhere"))
        #expect(await client().startCalledBack() == nil)
        #expect(try network.requests(Address.safeDatafile(sdkKey)).count == 1)
        handler.datafileAccessToken = nil
        _ = await client().startCalledBack()
        #expect(try network.requests(address).allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test func keysAreEscapedInAddresses() async throws {
        let key = "../a b/\(sdkKey)?x=%@"
        try network.always(Address.datafile("*"), .status(404))
        _ = await network.optimizely(key, handler: handler).startCalledBack()
        let new = FlagClient(network.configuration { $0.datafiles = network.source(key) })
        await #expect(throws: StartError.self) { try await new.start() }
        let escaped = "..%2Fa%20b%2F\(sdkKey)%3Fx%3D%25%40"
        #expect(try network.requests(Address.datafile(escaped)).count == 2)
    }
}
