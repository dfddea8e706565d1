import TurnoutTestKit

/// Code that uses flags, as on the page "Testing".
struct Shop {
    let client: FlagClient

    func checkoutPages(for userID: String) -> Int {
        client.user(userID).decide("checkout").variables.integer("steps") ?? 3
    }

    func buy(for userID: String, cents: Int) throws {
        try client.user(userID).track("purchase", tags: ["revenue": .integer(Int64(cents))])
    }
}

/// The code of "Testing" works.
@Suite struct TestingTests {
    @Test func theShortCheckoutHasOnePage() {
        let client = FlagClient.scripted(.always("checkout", "variation_b", variables: ["steps": 1]))
        #expect(Shop(client: client).checkoutPages(for: "ada") == 1)
    }

    @Test func aPurchaseIsCounted() throws {
        let sent = RecordedEvents()
        let client = FlagClient.scripted(.always("checkout", "variation_b"), .event("purchase"), recording: sent)

        try Shop(client: client).buy(for: "ada", cents: 4250)

        #expect(sent.conversions.map(\.eventKey) == ["purchase"])
        #expect(sent.conversions.first?.revenue == 4250)
    }

    @Test func linesOfAScript() {
        let client = FlagClient.scripted(
            .always("checkout", "variation_b"),  // all users
            .off("dark_mode"),  // no users
            .split("search", between: "by_sales", "by_rating"),  // by the user's bucket
            .when("eve", "checkout", "control"))  // one user
        #expect(client.user("eve").decide("checkout").variationKey == "control")
    }

    @Test func eventsArrive() async throws {
        let transport = MemoryTransport()
        var configuration = ClientConfiguration()
        configuration.transport = transport
        configuration.wallClock = .fixed(1_767_225_600_000)
        configuration.random = .seeded(1)
        let client = FlagClient.scripted(.always("checkout", "variation_b"), configuration: configuration)

        _ = client.user("ada").decide("checkout")
        await client.flush()

        #expect(transport.requests.count == 1)
    }

    @Test(.timeLimit(.minutes(1))) func anIntervalPasses() async throws {
        let transport = MemoryTransport()
        let clock = ManualClock()
        var configuration = ClientConfiguration()
        configuration.transport = transport
        configuration.clock = clock
        let client = FlagClient.scripted(.always("checkout", "variation_b"), configuration: configuration)

        _ = client.user("ada").decide("checkout")
        while clock.sleeperCount == 0 { await Task.yield() }
        #expect(transport.requests.isEmpty)
        clock.advance(by: .seconds(30))
        while transport.requests.isEmpty { await Task.yield() }
    }

    @Test func aCustomStorePassesTheContract() async throws {
        try await checkProfileStore { MemoryProfileStore() }
    }
}
