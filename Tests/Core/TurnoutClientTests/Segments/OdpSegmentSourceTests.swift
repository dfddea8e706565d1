import Testing
import TurnoutClient

/// The platform is the one that the datafile of the moment names, unless it is fixed.
@Suite struct OdpSegmentSourceTests {
    private let transport = MemoryTransport { _ in
        let body = #"{"data":{"customer":{"audiences":{"edges":[{"node":{"name":"gold","state":"qualified"}}]}}}}"#
        return HTTPResponse(status: 200, body: Array(body.utf8))
    }

    private func client(_ datafile: [UInt8], _ source: OdpSegmentSource) throws -> Client {
        try Client(datafile: datafile, .quiet { $0.segments = source })
    }

    private var asked: [String] { transport.requests.map { "\($0.url) \($0.headers["x-api-key"] ?? "")" } }

    @Test func addressAndKeyAreThoseOfTheCurrentDatafile() async throws {
        let client = try client(PlatformDatafile.bytes(), .odp(transport: transport))
        #expect(try await client.segments(of: "ada") == ["gold"])
        try client.update(to: PlatformDatafile.bytes(revision: "2", host: "https://next.test", key: "next"))
        #expect(try await client.segments(of: "ada") == ["gold"])
        #expect(asked == ["https://odp.test/v3/graphql key", "https://next.test/v3/graphql next"])
    }

    @Test func aFixedPlatformIsAskedWhateverTheDatafileNames() async throws {
        let fixed = OdpService(host: "https://fixed.test", key: "mine")
        let client = try client(PlatformDatafile.bytes(), .odp(fixed, transport: transport))
        #expect(try await client.segments(of: "ada") == ["gold"])
        try client.update(to: PlatformDatafile.bytes(revision: "2", host: nil))
        #expect(try await client.segments(of: "bob") == ["gold"])
        #expect(asked == Array(repeating: "https://fixed.test/v3/graphql mine", count: 2))
    }

    @Test(arguments: [(nil, "key"), ("https://odp.test", nil), (nil, nil), ("", "key"), ("https://odp.test", "")])
    func halfAPlatformIsNone(host: String?, key: String?) async throws {
        let client = try client(PlatformDatafile.bytes(host: host, key: key), .odp(transport: transport))
        do {
            _ = try await client.segments(of: "ada")
            Issue.record("there is nobody to ask")
        } catch {
            #expect("\(error)" == "segments could not be fetched: apiKey/apiHost not defined")
        }
        #expect(asked.isEmpty)
    }
}
