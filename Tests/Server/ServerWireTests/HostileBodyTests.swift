#if Server && SQLite
    import TestSupport
    import Testing
    import TurnoutClient
    import TurnoutZlib

    /// Bodies that attack the reader of JSON or the decompressor, on all routes that read a body.
    @Suite("Hostile bodies", .blocking)
    struct HostileBodyTests {
        private static let routes = [
            "/v1/decide", "/v1/activate?experimentKey=a", "/v1/track?eventKey=a", "/v1/lookup", "/v1/save",
            "/v1/send-odp-event", "/v1/batch", "/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/a",
        ]

        private static let bodies: [(name: String, body: [UInt8])] = [
            ("arrays of depth 100,000", Array(repeating: UInt8(ascii: "["), count: 100_000)),
            ("objects of depth 100,000", Array(String(repeating: "{\"a\":", count: 100_000).utf8)),
            ("a deep member", Array(("{\"userId\":\"u\",\"x\":" + String(repeating: "[", count: 100_000)).utf8)),
            ("invalid UTF-8", Array("{\"userId\":\"".utf8) + [0xFF, 0xC0, 0x80] + Array("\"}".utf8)),
            ("half a surrogate", Array(#"{"userId":"\ud800"}"#.utf8)),
            ("zeros", [UInt8](repeating: 0, count: 1_000)),
            ("a text", Array("\"userId\"".utf8)),
        ]

        @Test(arguments: routes) func areRefusedAndOthersAreServed(route: String) async throws {
            let server = try LiveServer()
            for (name, body) in Self.bodies {
                let response = try await server.post(route, body)
                #expect((400..<500).contains(response.status), "\(route), \(name): \(response.status)")
                #expect(try await server.decide().status == 200)
            }
            await server.stop()
        }

        @Test func eventsOfAnyContentAreKeptAside() async throws {
            let server = try LiveServer()
            // Only what is no object at all is refused. The rest is acknowledged without being read.
            for (name, body) in Self.bodies {
                let isObject = body.first == UInt8(ascii: "{") && body.last == UInt8(ascii: "}")
                #expect(try await server.post("/v1/events", body).status == (isObject ? 204 : 400), "\(name)")
            }
            let (start, end) = (String(repeating: "{\"a\":", count: 100_000), String(repeating: "}", count: 100_000))
            #expect(try await server.post("/v1/events", Array((start + "1" + end).utf8)).status == 204)
            try await wait("all were processed") {
                try await server.metric("turnout_events_rejected_total") == 3
            }
            #expect(try await server.decide().status == 200)
            await server.stop()
        }

        @Test func bombsAreRefused() async throws {
            let server = try LiveServer()
            // 200 kB that expand to 200 MB.
            let bomb = try #require(Zlib().gzip([UInt8](repeating: 0x20, count: 200 << 20)))
            for route in Self.routes + ["/v1/events"] {
                let response = try await server.post(route, bomb, ["Content-Encoding": "gzip"])
                #expect(response.status == 413, "\(route): \(response.status)")
            }
            #expect(try await server.decide().status == 200)
            await server.stop()
        }
    }
#endif
