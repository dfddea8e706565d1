import LoopbackServer
import TestSupport
import Testing
import TurnoutClient
import TurnoutEngine

/// Segments and segment events in instances of `FlagClient`.
@Suite(.blocking) struct ClientSegmentTests {
    private let network: TestNetwork
    private let device = DeviceID.new()
    private let next = Datafile(revision: "2", odpHost: "https://other-odp.test", odpKey: "other-key")

    init() throws { network = try TestNetwork() }

    private func respondToQueries(_ address: String) throws {
        try network.always(
            address,
            .json(#"{"data":{"customer":{"audiences":{"edges":[{"node":{"name":"gold","state":"qualified"}}]}}}}"#))
    }

    private func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> FlagClient {
        FlagClient(
            network.configuration {
                $0.segments = network.platform()
                change(&$0)
            })
    }

    private func started(_ change: (inout ClientConfiguration) -> Void = { _ in }) throws -> FlagClient {
        let client = client(change)
        try client.update(to: Datafile().bytes)
        return client
    }

    // MARK: Segments

    @Test func queriesUseThePlatformOfTheCurrentDatafile() async throws {
        let other = "https://other-odp.test/v3/graphql"
        for address in [Address.segments, other] { try respondToQueries(address) }
        let client = try started()
        #expect(try await client.segments(of: "ada") == ["gold"])
        try client.update(to: next.bytes)
        #expect(try await client.segments(of: "ada") == ["gold"])
        let keys = try [Address.segments, other].map { try network.requests($0).map { $0.headers["x-api-key"] } }
        #expect(keys == [["key-of-the-platform"], ["other-key"]])
    }

    @Test func aFixedPlatformOverridesTheDatafile() async throws {
        try respondToQueries("https://mine.test/v3/graphql")
        let fixed = OdpService(host: "https://mine.test", key: "my-key")
        let client = try started { $0.segments = .odp(fixed, transport: network.transport) }
        var ada = client.user("ada")
        try await ada.fetchSegments()
        #expect(ada.decide("loyal").isEnabled)
        #expect(try network.requests("https://mine.test/v3/graphql").map { $0.headers["x-api-key"] } == ["my-key"])
        #expect(try network.requests(Address.segments).isEmpty)
    }

    @Test func anIncompletePlatformIsNotQueried() async throws {
        for datafile in [Datafile(odpHost: nil), Datafile(odpKey: nil), Datafile(odpHost: nil, odpKey: nil)] {
            let client = client()
            try client.update(to: datafile.bytes)
            do {
                _ = try await client.segments(of: "ada")
                Issue.record("no platform is configured")
            } catch {
                guard case .failed(OdpSegmentError.noService) = error else { throw error }
            }
            #expect(throws: SegmentEventError.noService) { try client.user("ada").sendSegmentEvent("a") }
        }
        #expect(try network.requests(Address.segments).isEmpty && network.requests(Address.segmentEvents).isEmpty)
    }

    // MARK: Events

    @Test func eventsBeforeTheFirstDatafileAreSentAfterIt() async throws {
        let client = client { $0.deviceID = device }
        try client.sendSegmentEvent("early", identifiers: ["fs_user_id": "ada"], data: ["n": 1, "none": nil])
        await client.flush()
        #expect(try network.requests(Address.segmentEvents).isEmpty)
        try client.update(to: Datafile().bytes)
        // Delivery continues without a further call.
        try await wait("both") { try network.segmentBatches().joined().count >= 2 }
        let events = try network.segmentBatches().flatMap { $0 }
        #expect(events.compactMap { $0["action"]?.text } == ["client_initialized", "early"])
        #expect(events[0]["identifiers"]?.members == ["vuid": .string(device.rawValue)])
        #expect(events[1]["identifiers"]?["fs_user_id"] == .string("ada"))
        #expect(events[1]["data"]?["n"] == .integer(1) && events[1]["data"]?["none"] == .null)
        #expect(events[1]["data"]?["data_source"] == .string("turnout"))
    }

    @Test func keysAndHostsOfTwoDatafilesNeverMix() async throws {
        let client = try started()
        // The first response is held back; meanwhile the datafile changes.
        network.gate.close()
        for number in 0..<25 { try client.user("ada").sendSegmentEvent("old \(number)") }
        try await network.requests(Address.segmentEvents, atLeast: 1)
        try client.update(to: next.bytes)
        for number in 0..<25 { try client.user("ada").sendSegmentEvent("new \(number)") }
        network.gate.open()
        await client.close()
        let old = try network.segmentBatches().flatMap { $0 }
        let new = try network.segmentBatches("https://other-odp.test/v3/events", key: "other-key").flatMap { $0 }
        #expect(actions([old]) == [(0..<25).map { "old \($0)" }])
        #expect(actions([new]) == [(0..<25).map { "new \($0)" }])
        #expect(try network.requests(Address.segmentEvents).count < 25, "several share a request")
        #expect(client.lostEvents.total == 0)
    }

    @Test(arguments: [408, 429, 500, 503]) func flushingDeliversEventsABusyPlatformRefused(status: Int) async throws {
        try network.reply(Address.segmentEvents, .reset, .status(status, headers: ["Retry-After": "0"]))
        let client = try started()
        try client.user("ada").sendSegmentEvent("a")
        await client.flush()
        try await wait("the batch is accepted") { try network.segmentBatches().count == 3 }
        #expect(try actions(network.segmentBatches()) == [["a"], ["a"], ["a"]])
        let ids = Set(try network.segmentBatches().joined().compactMap { $0["data"]?["idempotence_id"]?.text })
        #expect(ids.count == 1, "the platform recognizes repeated events by it")
    }

    @Test func closingDeliversBothKindsOfEvents() async throws {
        try network.always(Address.segmentEvents, .status(503))
        let client = try started()
        try client.user("ada").sendSegmentEvent("a")
        try client.user("ada").track("purchase")
        try await network.requests(Address.segmentEvents, atLeast: 3)
        try network.always(Address.segmentEvents, nil)
        await client.close()
        #expect(try actions(network.segmentBatches()).last == ["a"])
        #expect(try network.events().count == 1)
    }

    @Test func namedInvalidEventsAreCounted() async throws {
        let client = try started()
        network.gate.close()
        try client.user("ada").sendSegmentEvent("first")
        try await network.requests(Address.segmentEvents, atLeast: 1)
        let response = #"{"title":"Bad Request","status":400,"detail":{"invalids":[{"event":1,"message":"…"}]}}"#
        try network.reply(Address.segmentEvents, .status(400, body: Array(response.utf8)))
        for action in ["a", "b", "c"] { try client.user("ada").sendSegmentEvent(action) }
        network.gate.open()
        await client.close()
        #expect(try actions(network.segmentBatches()) == [["first"], ["a", "b", "c"], ["a", "c"]])
        #expect("\(client.lostEvents)" == "1 refused")
    }

    @Test func identifyingTakesTwoIDs() async throws {
        let anonymous = try started()
        anonymous.identify("unknown")
        let client = try started { $0.deviceID = device }
        for id in ["ada", device.rawValue, ""] { client.identify(id) }
        client.user("bob").identify()
        try client.sendSegmentEvent("last")
        await anonymous.close()
        await client.close()
        let events = try network.segmentBatches().flatMap { $0 }
        #expect(actions([events]) == [["client_initialized", "identified", "identified", "last"]])
        let vuid = device.rawValue
        #expect(
            events.map { $0["identifiers"]?.members.mapValues { $0.text ?? "" } ?? [:] } == [
                ["vuid": vuid], ["vuid": vuid, "fs_user_id": "ada"], ["vuid": vuid, "fs_user_id": "bob"],
                ["vuid": vuid],
            ])
    }

    @Test func aProcessDeliversEventsOfAnEarlierOne() async throws {
        let store = MemoryEventStore()
        let first = try started {
            $0.segmentEventStore = store
            $0.transport = nil
        }
        try first.user("ada").sendSegmentEvent("left")
        await first.close()
        let second = client { $0.segmentEventStore = store }
        #expect(try network.requests(Address.segmentEvents).isEmpty)
        // Delivery continues without a further call.
        try second.update(to: Datafile().bytes)
        try await network.requests(Address.segmentEvents, atLeast: 1)
        await second.close()
        #expect(try actions(network.segmentBatches()) == [["left"]])
    }
}
