/// Events are sent to the region of their project.
@Suite(.blocking) struct RegionTests {
    private let network: TestNetwork
    private let american = Datafile()
    private let european = Datafile(region: "EU")

    init() throws { network = try TestNetwork() }

    /// The users of each request to an address.
    private func users(_ address: String, region: String) throws -> [[String]] {
        let payloads = try network.payloads(address)
        #expect(payloads.allSatisfy { $0.region == region })
        return payloads.map { $0.events.map(\.user) }
    }

    @Test func theFacadeSendsThemToEuropeToo() async throws {
        let client = try network.started(european)
        _ = client.createUserContext(userId: "ada").decide(key: "tested")
        _ = try client.activate(experimentKey: "old_experiment", userId: "ada")
        try client.track(eventKey: "purchase", userId: "ada")
        try await client.closed()
        #expect(try users(Address.eu, region: "EU") == [["ada", "ada", "ada"]])
        #expect(try network.requests(Address.us).isEmpty)
    }

    @Test func regionsInASharedDispatcherNeverShareARequest() async throws {
        let dispatcher = network.make { DefaultEventDispatcher(batchSize: 100, backingStore: .memory) }
        let clients = try [american, european].map { try network.started($0, dispatcher: dispatcher) }
        for number in 0..<6 { try clients[number / 2 % 2].track(eventKey: "purchase", userId: "\(number)") }
        try await clients[0].closed()
        #expect(try users(Address.us, region: "US") == [["0", "1", "4", "5"]])
        #expect(try users(Address.eu, region: "EU") == [["2", "3"]])
    }
}
