import ServerTestSupport
import TestSupport
import TurnoutFlags
import TurnoutServer

/// What SDKs get from the data platform of a server.
@Suite("The data platform") struct SegmentRoutesTests {
    @Test func listsAndMembersOfTheProjectFileAreSegments() async throws {
        let shop = try PlatformServer(defined: [AuthoredSegment(key: "testers", members: ["ada", "10"])])
        _ = await shop.response("PUT", "/segments/vip/users/ada")
        #expect(try await shop.segments(of: "ada") == ["testers", "vip"])
        #expect(try await shop.segments(of: "ada", ["vip", "other"]) == ["vip"])
        #expect(try await shop.segments(of: "10") == ["testers"])
        let all = try await shop.query("ada", "fs_user_id", ["vip", "other"])
        let expected = try JSONValue(
            parsing: """
                {"data":{"customer":{"audiences":{"edges":[{"node":{"name":"vip","state":"qualified"}},
                {"node":{"name":"other","state":"not_qualified"}}]}}}}
                """)
        #expect(all == expected)
    }

    @Test(arguments: [
        "{customer(fs_user_id: \"ada\") {audiences(subset:[\"vip\"]) {edges {node {name state}}}}}",
        "query Segments { # all of them\n customer(fs_user_id:\"a\\u0064a\"),{audiences{edges{node{state,name}}}}}",
        "query {customer(fs_user_id: \"ada\") {audiences(subset: null) {edges {node {name}}}}}",
    ]) func valuesMayBeInTheQuery(query: String) async throws {
        let shop = try PlatformServer()
        _ = await shop.response("PUT", "/segments/vip/users/ada")
        let body = JSONValue.object(["query": .string(query)]).json
        let response = await shop.response("POST", "/v3/graphql", ["x-api-key": PlatformServer.key], body: body)
        #expect(try PlatformServer.qualified(response.json) == ["vip"])
    }

    @Test(arguments: [
        ("", "InvalidSyntax"), ("{", "InvalidSyntax"), ("{customer(fs_user_id: \"ada) {a}}", "InvalidSyntax"),
        ("{customer(fs_user_id: $) {a}}", "InvalidSyntax"), ("{a{a{a} } } }", "InvalidSyntax"),
        (String(repeating: "{a", count: 100), "InvalidSyntax"),
        ("{c(a:" + String(repeating: "[", count: 100), "InvalidSyntax"),
        ("{customer {audiences {edges {node {name}}}}}", "ValidationError"),
        ("{customer(email: \"a@b\") {audiences {edges {node {name}}}}}", "ValidationError"),
        ("{customer(fs_user_id: 7) {audiences {edges {node {name}}}}}", "ValidationError"),
        ("{customer(fs_user_id: $none) {audiences {edges {node {name}}}}}", "ValidationError"),
        ("{customer(fs_user_id: \"ada\") {observations}}", "ValidationError"),
        ("{customer(fs_user_id: \"ada\") {audiences(subset: 1) {edges {node {name}}}}}", "ValidationError"),
        ("{customer(fs_user_id: \"\") {audiences {edges {node {name}}}}}", "DataFetchingException"),
        ("{customer(vuid: \"ada\") {audiences {edges {node {name}}}}}", "DataFetchingException"),
    ]) func anotherQueryIsAnError(query: String, classification: String) async throws {
        let body = JSONValue.object(["query": .string(query)]).json
        let response = try await PlatformServer().response(
            "POST", "/v3/graphql", ["x-api-key": PlatformServer.key], body: body)
        #expect(response.status == 200)
        let json = try response.json
        let errors = json["errors"].elements
        #expect(errors.first?["extensions"]?["classification"] == .string(classification))
        #expect(json["data"]?["customer"] == .null)
    }

    @Test func unknownUsersAreAnErrorOrHaveNoSegments() async throws {
        let shop = try PlatformServer()
        let response = try await shop.query("unknown")
        let errors = response["errors"].elements
        #expect(errors.first?["extensions"]?["code"] == .string("INVALID_IDENTIFIER_EXCEPTION"))
        let lenient = try PlatformServer { $0.segments.unknownUsers = .empty }
        #expect(try await lenient.segments(of: "unknown") == [])
        #expect(try await lenient.segments(of: "unknown", ["vip"]) == [])
    }

    @Test(arguments: ["/v3/graphql", "/v3/events"])
    func anUnknownKeyIsRefused(path: String) async throws {
        let shop = try PlatformServer()
        #expect(await shop.response("POST", path, body: "{}").status == 403)
        #expect(await shop.response("POST", path, ["x-api-key": "other"], body: "{}").status == 403)
        #expect(await shop.response("POST", path, ["x-api-key": PlatformServer.key], body: "{").status == 400)
    }

    // MARK: Rules

    @Test func rulesCountReceivedEvents() async throws {
        let rule = SegmentRule(event: "purchase", days: 10, times: 2, revenue: 1_000)
        let shop = try PlatformServer(defined: [AuthoredSegment(key: "big_spender", rule: rule)])
        func purchase(_ number: Int, by user: String, revenue: Int, daysAgo: Int64) async {
            let time = EventBodies.time - daysAgo * 86_400_000
            let event = EventBodies.conversion(uuid: EventBodies.uuid(number), revenue: revenue, timestamp: time)
            let body = EventBodies.body(EventBodies.visitor(user, event))
            let response = await shop.response("POST", "/v1/events", body: String(decoding: body, as: UTF8.self))
            #expect(response.status == 204)
        }
        await purchase(1, by: "ada", revenue: 900, daysAgo: 20)
        await purchase(2, by: "ada", revenue: 100, daysAgo: 9)
        try shop.process()
        #expect(try await shop.segments(of: "ada") == [])
        await purchase(3, by: "ada", revenue: 900, daysAgo: 1)
        // The same event twice counts once.
        await purchase(3, by: "ada", revenue: 900, daysAgo: 1)
        await purchase(4, by: "grace", revenue: 5_000, daysAgo: 1)
        await purchase(5, by: "joan", revenue: 400, daysAgo: 1)
        await purchase(6, by: "joan", revenue: 400, daysAgo: 2)
        try shop.process()
        #expect(try await shop.segments(of: "ada") == ["big_spender"])
        #expect(try await shop.segments(of: "grace") == [])
        #expect(try await shop.segments(of: "joan") == [])
    }

    @Test func eventsOfThePlatformCountUnderTypeAndAction() async throws {
        let rule = SegmentRule(event: "shop/added_to_cart", times: 2)
        let shop = try PlatformServer(defined: [AuthoredSegment(key: "collectors", rule: rule)])
        for id in ["1", "2", "2"] {
            let response = await shop.send(
                """
                [{"type":"shop","action":"added_to_cart","identifiers":{"FS-USER-ID":"ada"},
                  "data":{"idempotence_id":"\(id)","price":19.5,"gift":false,"coupon":null}},
                 {"type":"shop","action":"opened","identifiers":{"email":"a@example.com"}}]
                """)
            #expect(response.status == 202)
            #expect(try response.json["title"] == .string("Accepted"))
            try shop.process()
            #expect(try await shop.segments(of: "ada") == (id == "1" ? [] : ["collectors"]))
        }
        let bodies = try shop.storage.log.read(from: 0, size: 1 << 20).records.map(\.body)
        #expect(bodies.allSatisfy { $0.starts(with: "{\"type\":\"platform\",".utf8) })
        let text = await shop.response("GET", "/metrics").text
        #expect(text.contains("turnout_segment_events_total{outcome=\"accepted\"} 3\n"))
        #expect(text.contains("turnout_segment_events_total{outcome=\"unidentified\"} 3\n"))
    }

    @Test(arguments: [
        (#"{"FS-USER-ID":"grace","fs_user_id":"ada"}"#, "ada"), (#"{"fs_user_id":"ada","FS-USER-ID":"grace"}"#, "ada"),
        (#"{"fs-user-id":"grace","FS_USER_ID":"ada"}"#, "ada"),
        (#"{"FS_USER_ID":"ada","fs-user-id":"grace","vuid":"vuid_1"}"#, "ada"),
    ]) func spellingsOfAnIdentifierHaveAnOrder(identifiers: String, user: String) async throws {
        let rule = SegmentRule(event: "shop/visited")
        let shop = try PlatformServer(defined: [AuthoredSegment(key: "visitors", rule: rule)])
        _ = await shop.send(#"[{"type":"shop","action":"visited","identifiers":\#(identifiers)}]"#)
        try shop.process()
        #expect(try await shop.segments(of: user) == ["visitors"])
        #expect(try await (shop.segments(of: "grace") ?? []).isEmpty)
    }

    @Test func aDeviceHasTheSegmentsOfItsUser() async throws {
        let rule = SegmentRule(event: "shop/visited")
        let shop = try PlatformServer(defined: [AuthoredSegment(key: "visitors", rule: rule)])
        _ = await shop.response("PUT", "/segments/vip/users/ada")
        _ = await shop.send(
            """
            [{"type":"shop","action":"visited","identifiers":{"vuid":"vuid_1"},"data":{}},
             {"type":"fullstack","action":"client_initialized","identifiers":{"vuid":"vuid_1"},"data":{}}]
            """)
        try shop.process()
        #expect(try await shop.segments(of: "ada") == ["vip"])
        #expect(try await PlatformServer.qualified(shop.query("vuid_1", "vuid")) == ["visitors"])
        let identified = await shop.send(
            """
            [{"type":"fullstack","action":"identified","identifiers":{"vuid":"vuid_1","fs_user_id":"ada"}}]
            """)
        #expect(identified.status == 202)
        #expect(try await shop.segments(of: "ada") == ["vip", "visitors"])
        #expect(try await PlatformServer.qualified(shop.query("vuid_1", "vuid")) == ["vip", "visitors"])
        // SDKs' own events are no conversions.
        #expect(try shop.storage.texts("event_key", of: .conversion) == ["shop/visited"])
    }

    @Test(arguments: [
        ("{}", nil), ("[]", nil), ("[" + Array(repeating: "1", count: 501).joined(separator: ",") + "]", nil),
        ("[1]", "the event is not an object"), ("[{}]", "type is missing"),
        (#"[{"type":"a","action":""}]"#, "action is missing"),
        (#"[{"type":"a","action":"b","identifiers":{}}]"#, "identifiers are missing"),
        (#"[{"type":"a","action":"b","identifiers":{"vuid":1}}]"#, "an identifier is not a string"),
        (#"[{"type":"a","action":"b","identifiers":{"vuid":""}}]"#, "an identifier is empty or too long"),
        (
            #"[{"type":"a","action":"b","identifiers":{"vuid":"v"},"data":{"x":[]}}]"#,
            "data is not an object of plain values"
        ),
    ]) func invalidEventsAreRefused(body: String, message: String?) async throws {
        let shop = try PlatformServer()
        let response = await shop.send(body)
        #expect(response.status == 400)
        let detail = try response.json["detail"]
        if let message {
            #expect(
                detail == .object(["invalids": .array([.object(["event": .integer(0), "message": .string(message)])])]))
        }
        #expect(shop.storage.log.status.appended == 0)
    }
}

extension JSONValue? {
    /// The elements of an array; none for anything else.
    fileprivate var elements: [JSONValue] { if case .array(let elements)? = self { elements } else { [] } }
}
