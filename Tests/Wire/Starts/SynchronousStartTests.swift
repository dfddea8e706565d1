import LoopbackServer
import Optimizely
import TestSupport
import Testing
import TurnoutClient

/// Starts that do not wait: with cached or bundled datafiles, and background downloads. See also `StartSampleTests`.
@Suite(.blocking) struct SynchronousStartTests {
    private let network: TestNetwork
    private let sdkKey = unique("key")
    private let localDatafile = Datafile(revision: "bundled").text
    private var address: String { Address.datafile(sdkKey) }

    init() throws {
        network = try TestNetwork()
        try network.publish(Datafile(revision: "2"), for: sdkKey, lastModified: "Wed, 01 Jan 2025 00:00:00 GMT")
    }

    private func client() -> OptimizelyClient { network.optimizely(sdkKey) }

    @Test func withoutDownloadingNoRequestIsSent() throws {
        let optimizely = client()
        try optimizely.start(
            datafile: localDatafile, doUpdateConfigOnNewDatafile: true, doFetchDatafileBackground: false)
        #expect(optimizely.revision == "bundled")
        #expect(try network.requests(address).isEmpty)
    }

    @Test func anUnreachableServerDoesNotAffectTheStart() async throws {
        try network.always(address, .reset)
        let optimizely = client()
        try optimizely.start(datafile: localDatafile, doUpdateConfigOnNewDatafile: true)
        try await network.requests(address, atLeast: 1)
        try await optimizely.closed()
        #expect(optimizely.revision == "bundled")
        #expect(optimizely.createUserContext(userId: "ada").decide(key: "tested").variationKey == "on")
    }

    // MARK: The client

    @Test func theClientStartsAtOnceToo() async throws {
        let cache = MemoryDatafileCache()
        let client = FlagClient(
            network.configuration {
                $0.datafiles = network.source(sdkKey, cache: cache)
                $0.bundledDatafile = Datafile(revision: "bundled").bytes
            })
        try client.startFromCacheOrBundle()
        #expect(client.user("ada").decide("tested").variationKey == "on")
        try await wait("the update") { client.project?.revision == "2" }
        await client.close()
        try network.always(address, .close)
        let next = FlagClient(network.configuration { $0.datafiles = network.source(sdkKey, cache: cache) })
        try next.startFromCacheOrBundle(refreshing: false)
        #expect(next.project?.revision == "2")
    }
}
