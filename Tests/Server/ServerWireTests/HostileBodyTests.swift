import TestSupport
import TurnoutServer

/// Bodies that attack a parser or the decompressor, on all routes that read a body.
@Suite("Hostile bodies", .blocking)
struct HostileBodyTests {
    private static let routes = [
        "/v1/decide", "/v1/activate?experimentKey=a", "/v1/track?eventKey=a", "/v1/lookup", "/v1/save",
        "/v1/send-odp-event", "/v1/batch", "/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/a",
        "/v3/graphql", "/v3/events", "/predict/1", "/webhooks/optimizely", "/oauth/token",
    ]

    private static let replacingRoutes = Set(routes[..<5] + ["/v1/batch"])

    /// Routes that need a token or a setting: the method, the path and the type of the content.
    private static let restricted = [
        ("POST", "/v1/override", "application/json"), ("POST", "/users/forget", "application/json"),
        ("PUT", "/segments/vip/users", "text/csv"), ("POST", "/segments/vip/users", "application/x-ndjson"),
    ]

    /// The sanitizer takes minutes for more.
    #if THREAD_SANITIZER
        private static let depth = 10_000
    #else
        private static let depth = 100_000
    #endif

    private static let bodies: [(name: String, body: [UInt8])] = [
        ("arrays of great depth", Array(repeating: UInt8(ascii: "["), count: depth)),
        // Some routes take no larger ones.
        ("arrays of depth 10,000", Array(repeating: UInt8(ascii: "["), count: 10_000)),
        ("objects of great depth", Array(String(repeating: "{\"a\":", count: depth).utf8)),
        ("a deep member", Array(("{\"userId\":\"u\",\"x\":" + String(repeating: "[", count: depth)).utf8)),
        ("invalid UTF-8", Array("{\"userId\":\"".utf8) + [0xFF, 0xC0, 0x80] + Array("\"}".utf8)),
        ("half a surrogate", Array(#"{"userId":"\ud800"}"#.utf8)), ("zeros", [UInt8](repeating: 0, count: 1_000)),
        ("a text", Array("\"userId\"".utf8)),
    ]

    /// The headers that a route needs beside those of all requests.
    private static func headers(_ route: String) -> [String: String] {
        switch route {
        case "/v3/graphql", "/v3/events": ["X-API-Key": "shop-demo-public-key"]
        case "/oauth/token": ["Content-Type": "application/x-www-form-urlencoded"]
        default: [:]
        }
    }

    /// 200 kB that expand to 200 MB.
    private static func bomb() throws -> [UInt8] {
        try #require(Zlib().gzip([UInt8](repeating: 0x20, count: 200 << 20)))
    }

    @Test(arguments: routes) func areRefusedAndOthersAreServed(route: String) async throws {
        let server = try LiveServer()
        for (name, body) in Self.bodies {
            let status = try await server.post(route, body, Self.headers(route)).status
            // GraphQL reports the errors of any JSON in a response with the status 200. The Agent's interface
            // replaces what is no text.
            let isLegal =
                route == "/v3/graphql" && name == "a text"
                || Self.replacingRoutes.contains(route) && ["invalid UTF-8", "half a surrogate"].contains(name)
            #expect(isLegal ? status == 200 : (400..<500).contains(status), "\(route), \(name): \(status)")
            #expect(try await server.decide().status == 200)
        }
        await server.stop()
    }

    @Test func restrictedRoutesRefuseThemAndOthersAreServed() async throws {
        var configuration = ServerConfiguration()
        configuration.access.allowsLocalManagement = true
        configuration.agent.allowsOverrides = true
        let directory = TemporaryDirectory()
        var adapters = ServerAdapters(
            listener: SocketListener(threads: 2), cryptography: NettleCryptography(),
            storage: ServerStorage(directory: directory.path, messages: directory.log),
            log: StructuredLog(configuration.log) { _ in })
        adapters.decompressor = Zlib()
        let server = Server(configuration, adapters: adapters)
        try server.datafiles.publish(LiveServer.datafile(), for: LiveServer.key)
        // Through the handler: no transport of clients sends PUT.
        func status(_ method: String, _ path: String, _ body: [UInt8], _ more: HeaderFields) async -> Int {
            var head = RequestHead(method, path, headers: more)
            head.headers["Host"] = "localhost"
            head.headers["X-Optimizely-SDK-Key"] = LiveServer.key
            return await server.handler.respond(to: ServerRequest(head, body: body)).response.status
        }
        let (ada, bomb) = (Array(#"{"userId":"ada"}"#.utf8), try Self.bomb())
        for (method, path, type) in Self.restricted {
            // Almost any text is the id of a user in a list.
            let isList = path == "/segments/vip/users"
            for (name, body) in Self.bodies {
                let found = await status(method, path, body, ["Content-Type": type])
                #expect(
                    (400..<500).contains(found) && found != 403 || isList && found == 200,
                    "\(method) \(path), \(name): \(found)")
                #expect(await status("POST", "/v1/decide", ada, ["Content-Type": "application/json"]) == 200)
            }
            let found = await status(method, path, bomb, ["Content-Type": type, "Content-Encoding": "gzip"])
            #expect(found == 413, "\(method) \(path): \(found)")
        }
        #expect(await status("POST", "/v1/decide", ada, ["Content-Type": "application/json"]) == 200)
    }

    @Test func eventsOfAnyContentAreKeptAside() async throws {
        let server = try LiveServer()
        // Only what is no object at all is refused. The rest is acknowledged without being read.
        for (name, body) in Self.bodies {
            let isObject = body.first == UInt8(ascii: "{") && body.last == UInt8(ascii: "}")
            #expect(try await server.post("/v1/events", body).status == (isObject ? 204 : 400), "\(name)")
        }
        let start = String(repeating: "{\"a\":", count: Self.depth)
        let deep = start + "1" + String(repeating: "}", count: Self.depth)
        #expect(try await server.post("/v1/events", Array(deep.utf8)).status == 204)
        try await wait("all were processed") { try await server.metric("turnout_events_rejected_total") == 3 }
        #expect(try await server.decide().status == 200)
        await server.stop()
    }

    @Test func bombsAreRefused() async throws {
        let server = try LiveServer()
        let bomb = try Self.bomb()
        for route in Self.routes + ["/v1/events"] {
            let headers = Self.headers(route).merging(["Content-Encoding": "gzip"]) { $1 }
            let response = try await server.post(route, bomb, headers)
            #expect(response.status == 413, "\(route): \(response.status)")
        }
        #expect(try await server.decide().status == 200)
        await server.stop()
    }
}
