import LoopbackServer
import Optimizely
import TestSupport
import Testing
import TurnoutClient

/// A backlog leaves in few large requests.
@Suite(.blocking) struct BacklogTests {
    private let count = 20_000
    /// A separate server, for its statistics.
    private let server: LoopbackServer
    private let network: TestNetwork

    init() throws {
        server = try LoopbackServer()
        network = TestNetwork(on: server)
        try server.countEvents()
        try network.always(Address.us, .status(204).after(.milliseconds(100)))
    }

    /// Expects that all events have arrived, in requests that a receiver 100 ms away can respond to in two seconds.
    private func expectAll() async throws {
        // The server counts events after its response.
        try await wait("the last events are counted") { try server.statistics.acceptedEvents >= count }
        let statistics = try server.statistics
        #expect(statistics.distinctEvents == count && statistics.acceptedEvents == count)
        #expect(statistics.requests <= 30)
    }

    @Test func aBacklogIsSentInFewRequests() async throws {
        let client = try network.client {
            $0.eventStore = MemoryEventStore(limit: count)
            $0.events.eventsPerRequest = 10
        }
        // The first request is completed when all events are queued.
        network.gate.close()
        for number in 0..<count { try client.user("user \(number)").track("purchase") }
        network.gate.open()
        let start = ContinuousClock.now
        await client.flush(within: .seconds(60))
        print("\(count) events over sockets to a receiver 100 ms away: \(start.duration(to: .now))")
        try await expectAll()
    }
}
