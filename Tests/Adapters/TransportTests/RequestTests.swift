/// Requests as sent.
@Suite(.overEachNetwork, .blocking) struct RequestTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test func theLengthOfABodyIsAnnounced() async throws {
        for body in [[], Array("{}".utf8), Array(repeating: 0x20, count: 2_000_000)] {
            let response = try await Network.insecure.send(
                HTTPRequest(.post, server.address + "/v1/events", body: body))
            #expect(response.status == 204)
        }
        let requests = try server.requests(to: "/v1/events")
        #expect(requests.map { $0.headers["content-length"] } == ["0", "2", "2000000"])
        #expect(requests.map(\.body.count) == [0, 2, 2_000_000])
        #expect(requests.allSatisfy { $0.headers["transfer-encoding"] == nil && $0.headers["expect"] == nil })
    }

    @Test func aGetHasNoBody() async throws {
        let request = HTTPRequest(.get, server.address + "/datafiles/key.json?a=b%20c", body: [1, 2, 3])
        _ = try await Network.insecure.send(request)
        let received = try #require(try server.requests().first)
        #expect(received.method == "GET")
        #expect(received.target == "/datafiles/key.json?a=b%20c")
        #expect(received.body.isEmpty)
        #expect(["0", nil].contains(received.headers["content-length"]))
    }

    @Test func noUserAgentIsSent() async throws {
        _ = try await Network.insecure.send(HTTPRequest(.get, server.address + "/1"))
        let other = Network.current.transport(TransportOptions(allowsInsecureHTTP: true, userAgent: "shop/2"))
        _ = try await other.send(HTTPRequest(.get, server.address + "/2"))
        let own = HTTPRequest(.get, server.address + "/3", headers: ["user-agent": "mine"])
        _ = try await other.send(own)
        let requests = try server.requests()
        #expect(requests.map { $0.headers["user-agent"] } == ["turnout/0.1.0", "shop/2", "mine"])
    }

    @Test func theTransportCountsTheBytes() async throws {
        let headers = ["Content-Length": "3", "Transfer-Encoding": "chunked", "X-Key": "k"]
        let request = HTTPRequest(.post, server.address + "/echo", headers: headers, body: Array("whole".utf8))
        let response = try await Network.insecure.send(request)
        #expect(response.body == request.body)
        let received = try #require(try server.requests().first)
        #expect(received.headers["content-length"] == "5")
        #expect(received.headers["transfer-encoding"] == nil)
        #expect(received.headers["x-key"] == "k")
    }

    @Test func plainHTTPIsAllowedToThisMachine() async throws {
        let transport = Network.current.transport()
        for host in ["127.0.0.1", "localhost", "LocalHost"] {
            let response = try await transport.send(
                HTTPRequest(.get, "http://\(host):\(server.port)/status/200", deadline: .seconds(60)))
            #expect(response.status == 200)
        }
        #expect(HTTPRequest(.get, "http://[::1]:80/").isLoopback && HTTPRequest(.get, "http://127.9.9.9").isLoopback)
        // This request is sent: the server does not support TLS.
        let secure = "https" + server.address.dropFirst(4) + "/status/200"
        await expectNoResponse(.unreachable, to: HTTPRequest(.get, secure), over: transport)
    }

    @Test func cookiesAreNotSentBack() async throws {
        try server.always(.status(200, headers: ["Set-Cookie": "id=1; Path=/"]), to: "/page")
        for _ in 0..<2 { _ = try await Network.insecure.send(HTTPRequest(.get, server.address + "/page")) }
        let requests = try server.requests()
        #expect(requests.count == 2)
        #expect(requests.allSatisfy { $0.headers["cookie"] == nil })
    }

    @Test func responsesAreNotCached() async throws {
        let headers = ["Cache-Control": "max-age=3600", "ETag": "\"1\""]
        try server.always(.status(200, headers: headers, body: [1]), to: "/page")
        for _ in 0..<3 { _ = try await Network.insecure.send(HTTPRequest(.get, server.address + "/page")) }
        let requests = try server.requests()
        #expect(requests.count == 3)
        #expect(requests.allSatisfy { $0.headers["if-none-match"] == nil })
    }

    @Test func redirectsAreNotFollowed() async throws {
        let other = try LoopbackServer()
        for status in [301, 302, 303, 307, 308] {
            try server.always(.redirect(status, to: other.address + "/v1/events"), to: "/\(status)")
            let request = HTTPRequest(
                .post, server.address + "/\(status)", headers: ["x-api-key": "secret"], body: Array("{}".utf8))
            let response = try await Network.insecure.send(request)
            #expect(response.status == status)
            #expect(response.headers["location"] == other.address + "/v1/events")
        }
        #expect(try server.requests().count == 5)
        #expect(try other.requests().isEmpty)
    }

    // MARK: Address
    // Requests that are refused before anything is sent.

    @Test(arguments: [
        ("X-Key", "a\r\nX-Other: b"), ("X-Key", "a\nb"), ("X-Key", "a\rb"), ("X-Key", "a\0b"),
        ("X-Key\r\nX-Other", "b"), ("X Key", "b"), ("X-Key:", "b"), ("", "b"),
    ])
    func aHeaderCannotInjectOthers(name: String, value: String) async {
        await expectNoResponse(.badAddress, to: HTTPRequest(.get, "http://127.0.0.1:1/", headers: [name: value]))
    }

    @Test(arguments: [
        "", "/v1/events", "127.0.0.1", "http://", "http:///v1", "http://[::1", "http://a b/c", "http://127.0.0.1/a b",
        "http://user:password@127.0.0.1/", "http://user@127.0.0.1/", "http://127.0.0.1:99999/", "ftp://127.0.0.1/",
        "file:///etc/passwd", "data:text/plain,hello", "http://127.0.0.1/\r\nX-Other: b", "memory://peer/echo",
        "http://127.0.0.1/a|b", "http://127.0.0.1/{x}", "http://127.0.0.1/\"q\"",
    ])
    func anAddressMustBeOne(address: String) async {
        await expectNoResponse(.badAddress, to: HTTPRequest(.get, address))
    }

    @Test(arguments: [
        "http://shop.example/v1", "HTTP://10.0.0.1/", "http://127.0.0.1.example/", "http://127.1/",
        "http://0x7f.0.0.1/", "http://localhost.example/", "http://[::2]/",
        "http://127.0.0.256/", "http://a.localhost/",
    ])
    func onlySecureAddressesAreAcceptedByDefault(address: String) async throws {
        let transport = Network.current.transport()
        await expectNoResponse(.badAddress, to: HTTPRequest(.get, address), over: transport)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(.get, "http://shop.example/v1/secret"))
        }
        #expect(error?.message.hasPrefix("http://shop.example is refused because nothing would be encrypted") == true)
    }

    // MARK: Deadline
    // Deadlines. In separate processes: here, other tests keep all threads busy, and a task may be resumed long after
    // its request has ended.

    @Test func keepsTheContract() async {
        await #expect(processExitsWith: .success) { [network = Network.current as Network] in
            let server = try LoopbackServer()
            try await checkTransport(peer: server.address, unreachable: "http://127.0.0.1:1/") { network.insecure }
        }
    }

    @Test func keepsTheContractForStreams() async {
        await #expect(processExitsWith: .success) { [network = Network.current as Network] in
            let server = try LoopbackServer()
            try await checkStreamingTransport(peer: server.address, unreachable: "http://127.0.0.1:1/") {
                network.insecure
            }
        }
    }

    @Test func aSlowResponseEndsAtTheDeadline() async {
        await #expect(processExitsWith: .success) { [network = Network.current as Network] in
            let server = try LoopbackServer()
            // Each pause is short, but in total they take 100 seconds.
            let drip = Reply.body(Array(repeating: 0x20, count: 2_000)).dripping(every: .milliseconds(50))
            try server.always(drip, to: "/page")
            let request = HTTPRequest(.get, server.address + "/page", deadline: .milliseconds(500))
            let elapsed = await ContinuousClock().measure {
                await expectNoResponse(.deadlineExceeded, to: request, over: network.insecure)
            }
            #expect(elapsed >= .milliseconds(500))
            #expect(elapsed < .seconds(50))
            try await server.wait { $0.openConnections == 0 }
        }
    }
}
