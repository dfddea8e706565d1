/// The code of "Personal data" works as described.
@Suite struct PersonalDataTests {
    @Test func eventsCarryTheIDAndKnownAttributes() async throws {
        let transport = MemoryTransport()
        var configuration = ClientConfiguration()
        configuration.transport = transport
        let client = try FlagClient(datafile: shop, configuration)

        _ = client.user("ada", attributes: ["country": "US", "orders": 12, "salary": 80_000]).decide("dark_mode")
        await client.flush()
        for request in transport.requests { print(String(decoding: request.body, as: UTF8.self)) }

        let body = transport.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        #expect(body.contains(#""visitor_id":"ada""#) && body.contains(#""key":"country""#))
        #expect(!body.contains("salary"))
        #expect(body.contains(#""anonymize_ip":true"#))
    }

    @Test func logsDoNotNameUsers() async throws {
        let log = MemoryLog()
        var configuration = ClientConfiguration()
        configuration.log = log
        let client = try FlagClient(datafile: shop, configuration)

        _ = client.user("ada.lovelace@example.com").decideAll()
        #expect(!log.entries.contains { $0.level < .debug && $0.message.contains("ada.lovelace") })
    }

    @Test func descriptionsDoNotNameUsers() throws {
        let client = try FlagClient(datafile: shop)

        let ada = client.user("ada", attributes: ["country": "US"])
        print(ada)  // user with attributes country
        print(ada.description(includingPersonalData: true))  // user "ada" with attributes country=US

        #expect("\(ada)" == "user with attributes country")
        #expect(ada.description(includingPersonalData: true) == #"user "ada" with attributes country=US"#)
    }

    @Test func aUserIsForgotten() throws {
        let profiles = MemoryProfileStore()
        var configuration = ClientConfiguration()
        configuration.profiles = profiles
        let client = try FlagClient(datafile: shop, configuration)
        _ = client.user("ada", attributes: ["country": "US", "orders": 12]).decide("checkout_redesign")

        profiles.forget("ada")

        #expect(profiles.count == 0)
    }
}
