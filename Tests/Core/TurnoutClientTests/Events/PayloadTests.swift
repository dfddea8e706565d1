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

    // MARK: Event reply
    // How responses affect events.

    @Test(arguments: [
        (200, EventReply.accepted), (202, .accepted), (204, .accepted), (400, .refused(status: 400)),
        (413, .refused(status: 413)), (422, .refused(status: 422)), (408, .busy(status: 408)),
        (425, .busy(status: 425)), (429, .busy(status: 429)), (500, .busy(status: 500)), (503, .busy(status: 503)),
    ])
    func statusSaysWhatHappensToTheEvents(status: Int, reply: EventReply) {
        #expect(EventReply(HTTPResponse(status: status), count: 3) == reply)
    }

    @Test(arguments: [301, 302, 307, 308, 401, 402, 403, 404, 405, 406, 407, 410, 415, 421, 426, 431, 451])
    func wrongAddressesAndUnknownProjectsAreMisconfigured(status: Int) {
        #expect(EventReply(HTTPResponse(status: status), count: 3) == .misconfigured(status: status))
    }

    @Test(arguments: [
        ("7", Duration.seconds(7)), ("0", .zero), ("999999999", .seconds(86_400)), ("-1", nil), ("1.5", nil), ("", nil),
        ("Wed, 21 Oct 2026 07:28:05 GMT", .seconds(5)), ("Wednesday, 21-Oct-26 07:30:00 GMT", .seconds(120)),
        ("Wed Oct 21 08:28:00 2026", .seconds(3_600)), ("Wed, 21 Oct 2026 07:27:59 GMT", .zero),
        ("Fri, 21 Oct 2033 07:28:00 GMT", .seconds(86_400)), ("Wed, 32 Oct 2026 07:28:05 GMT", nil),
        ("Wed, 21 Oct 2026 24:28:05 GMT", nil), ("Wed, 21 Xyz 2026 07:28:05 GMT", nil),
        ("Wed, 21 Oct 2026 07:28:05 CET", nil),
    ])
    func pausesAreUnderstoodAsSecondsAndAsDates(text: String, delay: Duration?) {
        for status in [429, 503] {
            let headers = ["Retry-After": text, "Date": "Wed, 21 Oct 2026 07:28:00 GMT"]
            let response = HTTPResponse(status: status, headers: headers)
            #expect(EventReply(response, count: 1) == .busy(status: status, retryAfter: delay))
        }
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", Int64(0)), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000),
        ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200_000), ("Sun Nov  6 08:49:37 1994", 784_111_777_000),
    ])
    func datesAreReadInAllFormsOfHTTP(text: String, time: Int64) {
        #expect(HTTPDate.millisecondsSince1970(text) == time)
    }

    @Test(arguments: [
        (#"[{"event":0,"message":"bad"},{"event":2}]"#, EventReply.invalid([0, 2], status: 400)),
        (#"[{"event":3},{"event":-1},{"event":"1"},7]"#, .refused(status: 400)), ("[]", .refused(status: 400)),
        ("{}", .refused(status: 400)),
    ])
    func invalidEventsAreNamedByTheirPlaces(invalids: String, reply: EventReply) {
        let body = #"{"title":"Bad Request","status":400,"detail":{"invalids":\#(invalids)}}"#
        #expect(EventReply(HTTPResponse(status: 400, body: Array(body.utf8)), count: 3) == reply)
    }
}
