import LoopbackServer
import Optimizely
import Testing
import TurnoutClient

/// Starts that wait for nothing: by what is at hand, and by what is fetched behind the program's back.
@Suite(.fewAtATime) struct SynchronousStartTests {
    private let town: Town
    private let sdkKey = unique("key")
    private let handler = MemoryHandler()
    private let localDatafile = Datafile(revision: "bundled").text
    private var address: String { Address.datafile(sdkKey) }

    init() throws {
        town = try Town()
        handler.minimumPollingInterval = 1
        try town.publish(Datafile(revision: "2"), for: sdkKey, lastModified: "Wed, 01 Jan 2025 00:00:00 GMT")
    }

    private func client(interval: Int = 0) -> OptimizelyClient {
        town.optimizely(sdkKey, handler: handler, interval: interval)
    }

    /// Waits until the handler has kept a datafile.
    private func kept(_ revision: String) async throws {
        let datafile = Datafile(revision: revision).data
        try await wait("the copy") { handler.loadSavedDatafile(sdkKey: sdkKey) == datafile }
    }

    @Test func whatIsFetchedCountsFromTheNextStartOn() async throws {
        let optimizely = client()
        try optimizely.start(datafile: localDatafile)
        let user = optimizely.createUserContext(userId: "ada")
        #expect(user.decide(key: "tested").variationKey == "on")
        try await kept("2")
        try await optimizely.closed()
        #expect(optimizely.revision == "bundled")
        // The next session finds the copy, and needs neither the bundle nor the network.
        try town.always(address, .close)
        let next = client()
        try next.start(datafile: localDatafile)
        #expect(next.revision == "2")
    }

    @Test func whatIsFetchedCountsAtOnceIfItIsToldTo() async throws {
        let optimizely = client()
        let heard = Collected<String?>()
        _ = optimizely.notificationCenter?.addDatafileChangeNotificationListener { [weak optimizely] _ in
            heard.add(optimizely?.revision)
        }
        try optimizely.start(datafile: localDatafile, doUpdateConfigOnNewDatafile: true)
        let user = optimizely.createUserContext(userId: "ada")
        #expect(user.decide(key: "tested").variationKey == "on")
        try await wait("the update") { heard.count == 1 }
        #expect(heard.all == ["2"] && optimizely.revision == "2")
        #expect(user.decide(key: "tested").variationKey == "on")
    }

    @Test func withAnIntervalItGoesOn() async throws {
        let optimizely = client(interval: 1)
        try optimizely.start(datafile: localDatafile)
        try await wait("the first update") { optimizely.revision == "2" }
        try town.publish(Datafile(revision: "3"), for: sdkKey, lastModified: "Thu, 02 Jan 2025 00:00:00 GMT")
        try await wait("the second update") { optimizely.revision == "3" }
        #expect(optimizely.createUserContext(userId: "ada").decide(key: "tested").variationKey == "on")
        try await optimizely.closed()
    }

    @Test func withoutFetchingNobodyIsAsked() throws {
        let optimizely = client()
        try optimizely.start(
            datafile: localDatafile, doUpdateConfigOnNewDatafile: true, doFetchDatafileBackground: false)
        #expect(optimizely.revision == "bundled")
        #expect(try town.requests(address).isEmpty)
    }

    @Test func aServerThatIsAwayDoesNotMatter() async throws {
        try town.always(address, .reset)
        let optimizely = client()
        try optimizely.start(datafile: localDatafile, doUpdateConfigOnNewDatafile: true)
        try await town.requests(address, atLeast: 1)
        try await optimizely.closed()
        #expect(optimizely.revision == "bundled")
        #expect(optimizely.createUserContext(userId: "ada").decide(key: "tested").variationKey == "on")
    }

    // MARK: The same without the older interface

    @Test func anAsynchronousClientStartsAtOnceToo() async throws {
        let cache = MemoryDatafileCache()
        let client = Client(
            town.configuration {
                $0.datafiles = town.source(sdkKey, cache: cache)
                $0.bundledDatafile = Datafile(revision: "bundled").bytes
            })
        try client.startAtOnce()
        #expect(client.user("ada").decide("tested").variationKey == "on")
        try await wait("the update") { client.project?.revision == "2" }
        await client.close()
        try town.always(address, .close)
        let next = Client(town.configuration { $0.datafiles = town.source(sdkKey, cache: cache) })
        try next.startAtOnce(refreshing: false)
        #expect(next.project?.revision == "2")
    }
}
