import Testing
import TurnoutEngine

/// A payload has every field that the receiver requires, and none that it refuses.
@Suite struct EventEncoderTests {
    private let stamp = EventStamp(
        timestamp: 1_767_225_600_123, uuid: EventID(0x0C5E_8B8A_9F5E_4C0B, 0x8C58_3E0B_7F0A_1D21))

    private func payload(_ flag: String, for user: User) throws -> String {
        let project = try ExampleShop.project()
        let encoder = EventEncoder(project: project, clientName: "swift-sdk", clientVersion: "5.4.2")
        let impression = try #require(project.decide(flag, for: user).impression)
        var writer = JSONWriter()
        encoder.write(impression, of: user, stamp: stamp, to: &writer)
        return writer.text
    }

    @Test func payloadHasTheExpectedFormat() throws {
        let user = User("ada", attributes: ["country": "US", "orders": 12, "unknown": 1, "$opt_user_agent": "demo/1"])
        let expected = #"""
            {"account_id":"100200","project_id":"100300","revision":"42","client_name":"swift-sdk",
            "client_version":"5.4.2","region":"US","anonymize_ip":true,"enrich_decisions":true,"visitors":[{
            "visitor_id":"ada","attributes":[
            {"entity_id":"\#(try id(of: "country"))","key":"country","type":"custom","value":"US"},
            {"entity_id":"\#(try id(of: "orders"))","key":"orders","type":"custom","value":12},
            {"entity_id":"$opt_user_agent","key":"$opt_user_agent","type":"custom","value":"demo/1"},
            {"entity_id":"$opt_bot_filtering","key":"$opt_bot_filtering","type":"custom","value":true}],
            "snapshots":[{"decisions":[{"campaign_id":"4200","experiment_id":"4201","variation_id":"42011",
            "metadata":{"flag_key":"search_ranking","rule_key":"ranking_test","rule_type":"feature-test",
            "variation_key":"by_sales","enabled":true}}],
            "events":[{"entity_id":"4200","key":"campaign_activated","timestamp":1767225600123,
            "uuid":"0C5E8B8A-9F5E-4C0B-8C58-3E0B7F0A1D21","tags":{}}]}]}]}
            """#
        let oneLine = expected.split(separator: "\n").joined()
        #expect(try payload("search_ranking", for: user) == oneLine)
    }

    private func id(of attribute: String) throws -> String {
        let attributes = try ExampleShop.document()["attributes"]?.elements ?? []
        return try #require(attributes.first { $0["key"]?.text == attribute }?["id"]?.text)
    }

    @Test func onlyScalarsOfJSONAreSent() throws {
        let user = User(
            "ada",
            attributes: [
                "country": ["US"], "orders": .null, "plan": .double(.nan), "cart_total": 42.5, "company": ["a": 1],
            ])
        let sent = try JSONValue(parsing: payload("search_ranking", for: user))["visitors"]?.elements?[0]["attributes"]
        #expect(sent?.elements?.compactMap { $0["key"]?.text } == ["cart_total", "$opt_bot_filtering"])
    }

    /// As the vendor's client does: that of the user, and that of the project.
    @Test func bothBotFilteringAttributesAreSent() throws {
        let user = User("ada", attributes: ["$opt_bot_filtering": false])
        let sent = try JSONValue(parsing: payload("search_ranking", for: user))["visitors"]?.elements?[0]["attributes"]
        #expect(sent?.elements?.compactMap { $0["key"]?.text } == ["$opt_bot_filtering", "$opt_bot_filtering"])
        #expect(sent?.elements?.compactMap { $0["value"] } == [.bool(false), .bool(true)])
    }

    @Test func anyTextIsEscaped() throws {
        let name = "a\"b\\c\u{0}\n\u{2028}é🙂" + String(repeating: "/", count: 9)
        let user = User(name, attributes: ["$opt_bucketing_id": "ada", "country": .string(name)])
        let payload = try JSONValue(parsing: payload("search_ranking", for: user))
        #expect(payload["visitors"]?.elements?[0]["visitor_id"] == .string(name))
    }

    @Test func identifiersAreVersion4UUIDs() {
        var random = RepeatableRandom(stream: 900)
        let ids = (0..<1_000).map { _ in EventID(using: &random).description }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            let characters = Array(id)
            #expect(id.count == 36 && characters[14] == "4" && "89AB".contains(characters[19]))
            #expect([8, 13, 18, 23].allSatisfy { characters[$0] == "-" })
        }
    }
}
