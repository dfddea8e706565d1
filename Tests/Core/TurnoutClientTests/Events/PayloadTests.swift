/// Payloads are, byte for byte, what the receiver expects.
@Suite struct PayloadTests {
    private static let datafile = #"""
        {"version": "4", "accountId": "12001", "projectId": "91000001", "revision": "57", "region": "EU",
         "anonymizeIP": true, "botFiltering": true, "sendFlagDecisions": true, "groups": [], "audiences": [],
         "attributes": [{"id": "7001", "key": "plan"}],
         "events": [{"id": "9500000001", "key": "purchase", "experimentIds": []}],
         "featureFlags": [
          {"id": "1", "key": "checkout_v2", "experimentIds": ["9300000002"], "rolloutId": "", "variables": []}],
         "experiments": [{"id": "9300000002", "key": "checkout_cmab", "layerId": "9200000002", "status": "Running",
          "audienceIds": [], "forcedVariations": {}, "trafficAllocation": [], "type": "cmab",
          "cmab": {"attributeIds": [], "trafficAllocation": 10000},
          "variations": [{"id": "9400000007", "key": "blue", "featureEnabled": true}]}],
         "rollouts": []}
        """#

    private static let head = #"""
        {"account_id":"12001","project_id":"91000001","revision":"57","client_name":"turnout",\#
        "client_version":"0.1.0","region":"EU","anonymize_ip":true,"enrich_decisions":true,"visitors":[
        """#

    private func client(_ sent: RecordedEvents) throws -> FlagClient {
        try FlagClient(
            datafile: Array(Self.datafile.utf8),
            .quiet {
                $0.eventStore = sent
                $0.wallClock = .fixed(1_767_225_600_123)
                $0.random = .seeded(0)
                $0.predictions = .memory(["9300000002": "9400000007"])
                $0.clientVersion = "0.1.0"
            })
    }

    /// The ids generated from seed 0, two random numbers each.
    private static let ids: [String] = {
        let random = SeededRandomSource(seed: 0)
        return (0..<4).map { _ in random.eventID().description }
    }()

    @Test func seedsMakeIdsPredictable() { #expect(Self.ids[0] == "E220A839-7B1D-4DAF-AE78-9E6AA1B965F4") }

    @Test func predictedImpressionsCarryTheirPrediction() async throws {
        let sent = RecordedEvents()
        let user = User("user_1", attributes: ["plan": "gold", "$opt_user_agent": "demo/1", "other": 1])
        _ = try await client(sent).decide("checkout_v2", for: user, within: .seconds(30))
        let event = try #require(sent.all.first)
        let expected = #"""
            \#(Self.head){"visitor_id":"user_1","attributes":[\#
            {"entity_id":"7001","key":"plan","type":"custom","value":"gold"},\#
            {"entity_id":"$opt_user_agent","key":"$opt_user_agent","type":"custom","value":"demo/1"},\#
            {"entity_id":"$opt_bot_filtering","key":"$opt_bot_filtering","type":"custom","value":true}],\#
            "snapshots":[{"decisions":[{"campaign_id":"9200000002","experiment_id":"9300000002",\#
            "variation_id":"9400000007","metadata":{"flag_key":"checkout_v2","rule_key":"checkout_cmab",\#
            "rule_type":"feature-test","variation_key":"blue","enabled":true,"cmab_uuid":"\#(Self.ids[0])"}}],\#
            "events":[{"entity_id":"9200000002","key":"campaign_activated","timestamp":1767225600123,\#
            "uuid":"\#(Self.ids[1])","tags":{}}]}]}]}
            """#
        #expect(String(decoding: event.payload, as: UTF8.self) == expected)
        #expect(event.group.region == .eu)
    }

    @Test func conversionsCarryNestedTags() throws {
        let sent = RecordedEvents()
        try client(sent).track(
            "purchase", for: User("user_1"),
            tags: [
                "revenue": 4_250, "value": 3.5, "category": "shoes", "sizes": [41, 42],
                "$opt_event_properties": ["color": "red", "meta": ["gift": false]],
            ])
        let expected = #"""
            {"visitor_id":"user_1","attributes":[\#
            {"entity_id":"$opt_bot_filtering","key":"$opt_bot_filtering","type":"custom","value":true}],\#
            "snapshots":[{"events":[{"entity_id":"9500000001","key":"purchase","timestamp":1767225600123,\#
            "uuid":"\#(Self.ids[0])","revenue":4250,"value":3.5,"tags":{"$opt_event_properties":\#
            {"color":"red","meta":{"gift":false}},"category":"shoes","revenue":4250,"sizes":[41,42],"value":3.5}}]}]}
            """#
        #expect(String(decoding: try #require(sent.all.first).visitor, as: UTF8.self) == expected)
    }

    @Test func batchesShareOneEnvelope() async throws {
        let (sent, transport) = (RecordedEvents(), MemoryTransport())
        let client = try FlagClient(
            datafile: Array(Self.datafile.utf8),
            .quiet {
                $0.eventStore = sent
                $0.transport = transport
                $0.clientVersion = "0.1.0"
            })
        for user in ["a", "a", "b"] { try client.track("purchase", for: User(user)) }
        await client.flush()
        let visitors = sent.all.map { String(decoding: $0.visitor, as: UTF8.self) }
        let request = try #require(transport.requests.first)
        #expect(String(decoding: request.body, as: UTF8.self) == Self.head + visitors.joined(separator: ",") + "]}")
        #expect(request.url == "https://eu.logx.optimizely.com/v1/events")
        #expect(request.method == .post && request.headers == ["Content-Type": "application/json"])
        #expect(transport.requests.count == 1)
    }
}
