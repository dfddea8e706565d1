import Foundation
import Optimizely
import Testing
import TurnoutClient
import TurnoutEngine

// Samples whose point is what the services do that come with the library.

/// The default dispatcher, with a journal for a network.
private final class SendingJournal: DefaultEventDispatcher {
    let bodies = Locked<[Data]>([])

    override func sendEvent(event: EventForDispatch, completionHandler: @escaping DispatchCompletionHandler) {
        let body = event.body
        bodies.withLock { $0.append(body) }
        completionHandler(.success(body))
    }
}

/// The default handler, with a cache in memory.
private final class CachelessDatafiles: DefaultDatafileHandler {
    private final class Store: OPTDataStore {
        private let item = Locked<Carried<Any?>>(Carried(nil))
        func getItem(forKey: String) -> Any? { item.withLock { $0 }.value }

        func saveItem(forKey: String, value: Any) {
            let new = Carried<Any?>(value)
            item.withLock { $0 = new }
        }

        func removeItem(forKey: String) { item.withLock { $0 = Carried(nil) } }
    }

    private let store = Store()
    override func createDataStore(sdkKey: String) -> any OPTDataStore { store }
}

@Suite(.ownThread) struct DefaultServiceSampleTests {
    /// A server of datafiles and segments.
    private static func world() -> (World, MemoryTransport) {
        let transport = MemoryTransport { request in
            if request.url.hasSuffix(".json") {
                return HTTPResponse(status: 200, body: Array(PageDatafile.data(revision: "2")))
            }
            let node = #"{"node": {"name": "segment1", "state": "qualified"}}"#
            let answer = #"{"data": {"customer": {"audiences": {"edges": [\#(node)]}}}}"#
            return HTTPResponse(status: 200, body: Array(answer.utf8))
        }
        var world = World()
        world.transport = transport
        return (world, transport)
    }

    @Test func callbacksAreCalledOnceAndCanDecide() async throws {
        let (world, transport) = Self.world()
        let key = newKey()
        let optimizely = World.$chosen.withValue(world) {
            OptimizelyClient(
                sdkKey: key, logger: PageLogger(), eventDispatcher: PageEvents(), datafileHandler: CachelessDatafiles())
        }
        let user = optimizely.createUserContext(userId: "ada")
        let calls = Journal()
        await withCheckedContinuation { continuation in
            optimizely.start { result in
                let decision = user.decide(key: "flagKey")
                let variationKey = decision.variationKey
                calls.add("\(variationKey ?? "none") on \(Thread.isMainThread ? "the main thread" : "another thread")")
                continuation.resume()
            }
        }
        #expect(calls.lines == ["red on another thread"])
        #expect(transport.requests.count == 1 && transport.requests[0].url.contains(key))
    }

    @Test func anIntervalOfZeroSendsEachEventAtOnce() async throws {
        let dispatcher = SendingJournal(timerInterval: 0)
        let optimizely = OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: dispatcher, datafileHandler: PageDatafiles(),
            periodicDownloadInterval: nil)
        try optimizely.start(datafile: PageDatafile.text())
        let user = optimizely.createUserContext(userId: "ada")
        for count in 1...3 {
            _ = user.decide(key: "flagKey")
            for _ in 0..<1000 where dispatcher.bodies.withLock({ $0.count }) < count {
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        let bodies = dispatcher.bodies.withLock { $0 }
        let visitors = try bodies.map { body in
            let event = try JSONSerialization.jsonObject(with: body) as? [String: Any]
            return (event?["visitors"] as? [Any])?.count
        }
        #expect(visitors == [1, 1, 1])
        optimizely.close()
    }

    @Test(arguments: [(1000, 1), (0, 2)]) func theSizeOfTheSegmentCacheCounts(size: Int, requests: Int) async throws {
        let (world, transport) = Self.world()
        let odpSettings = OptimizelySdkSettings(
            segmentsCacheSize: size,
            segmentsCacheTimeoutInSecs: 30 * 60,
            disableOdp: false)
        let optimizely = World.$chosen.withValue(world) {
            OptimizelyClient(
                sdkKey: newKey(), logger: PageLogger(), eventDispatcher: PageEvents(), datafileHandler: PageDatafiles(),
                settings: odpSettings)
        }
        try optimizely.start(datafile: PageDatafile.text())
        for _ in 0..<2 {
            let user = optimizely.createUserContext(userId: "ada")
            try await user.fetchQualifiedSegments()
            #expect(user.isQualifiedFor(segment: "segment1"))
        }
        #expect(transport.requests.count == requests)
    }

    @Test func switchedOffSegmentsSaySo() async throws {
        let (world, transport) = Self.world()
        let optimizely = World.$chosen.withValue(world) {
            OptimizelyClient(
                sdkKey: newKey(), logger: PageLogger(), eventDispatcher: PageEvents(), datafileHandler: PageDatafiles(),
                settings: OptimizelySdkSettings(disableOdp: true))
        }
        try optimizely.start(datafile: PageDatafile.text())
        do {
            try await optimizely.createUserContext(userId: "ada").fetchQualifiedSegments()
            Issue.record("fetched")
        } catch OptimizelyError.odpNotEnabled {
            #expect(transport.requests.isEmpty)
        }
    }
}
