#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Custom sessions for the data platform, for instance with certificate pinning, are used.
@Suite(.blocking) struct SessionTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private static func session() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Session": "mine"]
        return URLSession(configuration: configuration)
    }

    private final class Segments: OdpSegmentApiManager {
        override func getSession() -> URLSession { SessionTests.session() }
    }

    private final class Events: OdpEventApiManager {
        override func getSession() -> URLSession { SessionTests.session() }
    }

    /// Overrides another method.
    private final class Other: OdpSegmentApiManager {}

    private func segments(_ manager: OdpSegmentApiManager) async -> ([String]?, String?) {
        await withCheckedContinuation { continuation in
            manager.fetchSegments(
                apiKey: "k", apiHost: server.address, userKey: "fs_user_id", userValue: "ada", segmentsToCheck: ["gold"]
            ) { continuation.resume(returning: ($0, $1?.errorDescription)) }
        }
    }

    private let gold = Reply.json(
        #"{"data":{"customer":{"audiences":{"edges":[{"node":{"name":"gold","state":"qualified"}}]}}}}"#)

    @Test func segmentsAreFetchedWithTheCustomSession() async throws {
        try server.always(gold, to: "/v3/graphql")
        let manager = Segments(timeout: 60)
        for _ in 0..<2 { #expect(await segments(manager).0 == ["gold"]) }
        let requests = try server.requests(to: "/v3/graphql")
        #expect(requests.count == 2 && requests.allSatisfy { $0.headers["x-session"] == "mine" })
        #expect(requests.allSatisfy { $0.headers["x-api-key"] == "k" && $0.method == "POST" && !$0.body.isEmpty })
    }

    @Test func aCustomSessionEndsAtTheDeadline() async throws {
        try server.always(.stall, to: "/v3/graphql")
        let elapsed = await ContinuousClock().measure {
            let (segments, error) = await segments(Segments(timeout: 1))
            #expect(segments == nil && error?.contains("network error") == true)
        }
        #expect(elapsed > .milliseconds(900) && elapsed < .seconds(30))
    }

    @Test(arguments: [false, true]) func responsesOfACustomSessionAreLimited(isChunked: Bool) async throws {
        let reply = Reply.zeros(10 << 20)
        try server.always(isChunked ? reply.chunked() : reply.dripping(1_000, every: .seconds(1)), to: "/v3/graphql")
        let (manager, log) = (Segments(timeout: 60), MemoryLog(level: .warning))
        var services = OdpServices()
        services.log = log
        manager.connect(services)
        let elapsed = await ContinuousClock().measure { #expect(await segments(manager).0 == nil) }
        #expect(elapsed < .seconds(50))
        #expect(log.entries.map(\.message).joined().contains("larger than"))
    }

    @Test func otherOverridesUseTheNetworkOfTheClient() async throws {
        try server.always(gold, to: "/v3/graphql")
        let manager = Other(timeout: 60)
        var services = OdpServices()
        services.log = .silent
        let transport = MemoryTransport()
        services.transport = transport
        manager.connect(services)
        _ = await segments(manager)
        #expect(transport.requests.count == 1)
        #expect(try server.requests().isEmpty)
    }

    @Test func eventsAreSentWithTheCustomSession() async throws {
        let manager = OdpEventManager(sdkKey: "key", apiManager: Events(timeout: 60))
        var services = OdpServices()
        services.log = .silent
        manager.connect(services)
        manager.update(to: .service(OdpService(host: server.address, key: "k")))
        try manager.sendEvent(type: nil, action: "seen", identifiers: ["email": "e"], data: [:])
        await manager.flush()
        let request = try #require(try server.requests(to: "/v3/events").first)
        #expect(request.headers["x-session"] == "mine" && request.headers["x-api-key"] == "k")
        #expect(manager.count == 0)
    }
}
