@Suite struct OdpSegmentQueryTests {
    private let service = OdpService(host: "https://platform.test", key: "public-key")

    @Test(arguments: ["vuid", "user_vuid_1", ""]) func otherUsersAreQueriedByUserID(id: String) {
        #expect(OdpUserKey(for: id) == .userID)
    }

    @Test(arguments: ["", "a b", "x){y}"]) func userKeyMustBeAName(key: String) {
        #expect(throws: OdpSegmentError.invalidQuery) {
            try OdpSegmentQuery(userKey: key, userID: "ada", candidates: ["a"]).request(to: service)
        }
    }

    // MARK: Source

    @Test func brokenNetworkIsUnreachable() async {
        struct TestError: Error {}
        let causes: [(any Error, OdpSegmentError)] = [
            (TransportError(.unreachable, "no route"), .noResponse("no route")), (TestError(), .unreachable),
        ]
        for (cause, error) in causes {
            let transport = MemoryTransport { _ in throw cause }
            await #expect(throws: error) {
                try await OdpSegmentSource(service, transport: transport).segments(of: "ada", among: ["a"])
            }
            #expect(error.vendorText == "network error")
        }
        #expect(OdpSegmentError.noResponse("no route").description == "the data platform did not respond: no route")
    }
}
