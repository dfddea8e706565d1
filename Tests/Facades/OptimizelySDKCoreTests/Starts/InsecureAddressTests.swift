import Optimizely

/// Plain `http` is allowed by an option of the manager.
@Suite struct InsecureAddressTests {
    @Test func aManagerThatAllowsItGivesItsServicesSuchANetwork() async throws {
        var setup = TestSetup()
        let asked = Collected<TransportOptions>()
        let open = MemoryTransport { _ in HTTPResponse(status: 404) }
        setup.environment.makeTransport = { options in
            asked.add(options)
            return open
        }
        _ = try setup.manager()
        #expect(asked.count == 0)
        let manager = try setup.manager { $0.allowsInsecureHTTP = true }
        #expect(asked.all.map(\.allowsInsecureHTTP) == [true])
        // A standard datafile manager sends a request at once.
        try await wait("the datafile is requested") { !open.requests.isEmpty }
        withExtendedLifetime(manager) {}
    }
}
