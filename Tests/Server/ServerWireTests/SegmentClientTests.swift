#if Server && Curl && os(Linux)
    import Optimizely
    import TestSupport
    import TurnoutCurl
    import TurnoutFlags
    import TurnoutServer

    /// Clients of this package ask a server for segments, and send it events.
    @Suite(.blocking) struct SegmentClientTests {
        private let collectors = AuthoredSegment(key: "collectors", rule: SegmentRule(event: "shop/added_to_cart"))

        @Test func theVendorsInterface() async throws {
            let shop = try SegmentServer(defined: [collectors])
            #expect(await shop.manage("PUT", "/segments/vip/users/ada").status == 200)
            var environment = HostEnvironment()
            environment.transport = CurlTransport()
            environment.storage = MemoryStorage()
            let client = HostEnvironment.$override.withValue(environment) {
                OptimizelyClient(sdkKey: "segments-of-a-server", periodicDownloadInterval: 0)
            }
            try client.start(datafile: shop.datafile)
            let ada = client.createUserContext(userId: "ada")
            try await ada.fetchQualifiedSegments(options: [])
            #expect(ada.qualifiedSegments == ["vip"])
            #expect(ada.isQualifiedFor(segment: "vip"))

            let unknown = client.createUserContext(userId: "unknown")
            await #expect(throws: OptimizelyError.self) { try await unknown.fetchQualifiedSegments(options: []) }
            #expect(unknown.qualifiedSegments == nil)

            try client.sendOdpEvent(
                type: "shop", action: "added_to_cart", identifiers: ["fs-user-id": "ada"], data: ["price": 19.5])
            try await wait("the event") {
                try await ada.fetchQualifiedSegments(options: [.ignoreCache])
                return ada.qualifiedSegments.map(Set.init) == ["vip", "collectors"]
            }
            client.close()
            await shop.stop()
        }

        @Test func theClient() async throws {
            let shop = try SegmentServer(defined: [collectors])
            #expect(await shop.manage("PUT", "/segments/vip/users/ada").status == 200)
            var configuration = ClientConfiguration()
            configuration.transport = CurlTransport()
            configuration.segments = .odp(transport: CurlTransport())
            configuration.events.interval = .milliseconds(10)
            let client = try FlagClient(datafile: Array(shop.datafile.utf8), configuration)
            var ada = client.user("ada")
            try await ada.fetchSegments()
            #expect(ada.segments == ["vip"])
            try ada.sendSegmentEvent("added_to_cart", type: "shop")
            await client.close(within: .seconds(10))
            try await wait("the event") {
                await shop.manage("GET", "/users/ada/segments").text.contains("collectors")
            }
            await shop.stop()
        }
    }
#endif
