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
