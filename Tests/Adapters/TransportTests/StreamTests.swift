/// Responses that are read while they arrive.
@Suite(.overEachNetwork, .blocking) struct StreamTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func stream(_ path: String, deadline: Duration = .seconds(30)) async throws -> StreamedResponse {
        try await Network.insecure.stream(HTTPRequest(.get, server.address + path, deadline: deadline))
    }

    @Test func aStreamThatIsNotReadClosesItsConnection() async throws {
        do { _ = try await stream("/open") }
        try await server.wait { $0.connections > 0 && $0.openConnections == 0 }
    }

    @Test func cancellingTheReaderClosesTheConnection() async throws {
        let server = server
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task { for try await _ in try await stream("/open").body { start.yield() } }
        for await _ in started { break }
        #expect(try server.statistics.openConnections == 1)
        task.cancel()
        _ = await task.result
        try await server.wait { $0.openConnections == 0 }
    }

    @Test func aBrokenStreamIsAnError() async throws {
        try server.always(.status(200, body: Array(repeating: 1, count: 100)).stopping(after: 10), to: "/cut")
        let response = try await stream("/cut")
        await #expect(throws: TransportError.self, "\(Network.current)") { for try await _ in response.body {} }
    }

    @Test func aStreamWithoutAReaderHasALimit() async throws {
        // The response never ends. A client with all of one could keep the connection for the next request.
        try server.always(.zeros(64 << 20).chunked().stopping(after: 64 << 20, by: .stall), to: "/flood")
        let response = try await stream("/flood")
        // The transport closes the connection, although no task reads the body.
        try await server.wait { $0.openConnections == 0 }
        let error = await #expect(throws: TransportError.self, "\(Network.current)") {
            for try await _ in response.body {}
        }
        #expect(error?.code == .tooLarge, "\(Network.current)")
    }

    @Test func streamsAreNotCompressed() async throws {
        #if Curl && os(Linux)
            guard Network.current == .curl else { return }
            _ = try await stream("/pieces")
            #expect(try server.requests(to: "/pieces").first?.headers["accept-encoding"] == nil)
        #endif
    }
}
