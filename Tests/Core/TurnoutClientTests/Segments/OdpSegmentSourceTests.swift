/// Requests go to the data platform of the current datafile, unless the platform is fixed.
@Suite struct OdpSegmentSourceTests {
    private let transport = MemoryTransport { _ in
        let body = #"{"data":{"customer":{"audiences":{"edges":[{"node":{"name":"gold","state":"qualified"}}]}}}}"#
        return HTTPResponse(status: 200, body: Array(body.utf8))
    }

    private func client(_ datafile: [UInt8], _ source: OdpSegmentSource) throws -> FlagClient {
        try FlagClient(datafile: datafile, .quiet { $0.segments = source })
    }

    private var asked: [String] { transport.requests.map { "\($0.url) \($0.headers["x-api-key"] ?? "")" } }

    @Test func addressAndKeyAreThoseOfTheCurrentDatafile() async throws {
        let client = try client(PlatformDatafile.bytes(), .odp(transport: transport))
        #expect(try await client.segments(of: "ada") == ["gold"])
        try client.update(to: PlatformDatafile.bytes(revision: "2", host: "https://next.test", key: "next"))
        #expect(try await client.segments(of: "ada") == ["gold"])
        #expect(asked == ["https://odp.test/v3/graphql key", "https://next.test/v3/graphql next"])
    }

    @Test func aFixedPlatformOverridesTheDatafile() async throws {
        let fixed = OdpService(host: "https://fixed.test", key: "mine")
        let client = try client(PlatformDatafile.bytes(), .odp(fixed, transport: transport))
        #expect(try await client.segments(of: "ada") == ["gold"])
        try client.update(to: PlatformDatafile.bytes(revision: "2", host: nil))
        #expect(try await client.segments(of: "bob") == ["gold"])
        #expect(asked == Array(repeating: "https://fixed.test/v3/graphql mine", count: 2))
    }

    @Test func segmentsThatWereNotRequestedAreDropped() async throws {
        let names = ["silver", "gold", "gold", "go\u{301}ld"].map { #"{"node":{"name":"\#($0)","state":"qualified"}}"# }
        let body = #"{"data":{"customer":{"audiences":{"edges":[\#(names.joined(separator: ","))]}}}}"#
        let transport = MemoryTransport { _ in HTTPResponse(status: 200, body: Array(body.utf8)) }
        let fixed = OdpService(host: "https://odp.test", key: "key")
        let source = OdpSegmentSource(fixed, transport: transport)
        #expect(try await source.segments(of: "ada", among: ["gold", "bronze"]) == ["gold"])
        #expect(try await client(PlatformDatafile.bytes(), source).segments(of: "ada") == ["gold"])
    }

    @Test func theResponseSizeIsLimited() async throws {
        let transport = MemoryTransport { _ in HTTPResponse(status: 200, body: Array(repeating: 0x20, count: 1 << 20)) }
        let source = OdpSegmentSource(OdpService(host: "https://odp.test", key: "key"), transport: transport)
        await #expect(throws: OdpSegmentError.unreadable) { try await source.segments(of: "ada", among: ["gold"]) }
        #expect((transport.requests.first?.maximumResponseSize ?? .max) < 1 << 17)
    }

    @Test(arguments: [(nil, "key"), ("https://odp.test", nil), (nil, nil), ("", "key"), ("https://odp.test", "")])
    func anIncompletePlatformIsAnError(host: String?, key: String?) async throws {
        let client = try client(PlatformDatafile.bytes(host: host, key: key), .odp(transport: transport))
        do {
            _ = try await client.segments(of: "ada")
            Issue.record("no platform is named")
        } catch {
            #expect(
                "\(error)" == "segments could not be fetched: neither the datafile nor the configuration names the "
                    + "data platform's address and key")
        }
        #expect(asked.isEmpty)
    }

    // MARK: Odp segment query

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
