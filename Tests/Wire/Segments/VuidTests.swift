/// A client without a device id does not use another client's.
@Suite(.blocking) struct VuidTests {
    private let network: TestNetwork
    private let on = OptimizelySdkSettings(enableVuid: true)
    private let off = OptimizelySdkSettings(enableVuid: false)

    init() throws { network = try TestNetwork() }

    @Test func clientsWithAndWithoutADeviceIdAreIndependent() async throws {
        let first = try network.started(settings: on)
        let vuid = try #require(first.vuid)
        #expect(vuid.hasPrefix("vuid_"))
        let without = try network.started(settings: off)
        #expect(without.vuid == nil && without.createUserContext() == nil)
        #expect(first.vuid == vuid)
        let second = try network.started(settings: on)
        #expect(second.vuid == vuid, "still the same")
        for client in [first, without, second] {
            try client.sendOdpEvent(action: "a", identifiers: ["fs_user_id": "ada"])
            try await client.closed()
        }
        let identifiers = try network.requests(Address.segmentEvents).flatMap { request in
            try parsed(request, as: FieldTable.segmentEvents).elements.filter { $0["action"] == .string("a") }
        }.map { $0["identifiers"]?.members.mapValues { $0.text ?? "" } ?? [:] }
        let known = ["fs_user_id": "ada", "vuid": vuid]
        #expect(identifiers == [known, ["fs_user_id": "ada"], known])
    }

    @Test func theDeviceCanBeUsedAsAUser() async throws {
        let client = try network.started(settings: on)
        let user = try #require(client.createUserContext())
        #expect(user.decide(key: "tested").enabled)
        try user.trackEvent(eventKey: "purchase")
        try await client.closed()
        #expect(try network.events().map(\.user) == [client.vuid, client.vuid])
    }
}
