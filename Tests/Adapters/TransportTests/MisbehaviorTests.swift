/// Responses, valid or not.
@Suite(.overEachNetwork, .blocking) struct MisbehaviorTests {
    let server: LoopbackServer
    let text = Array("0123456789".utf8)

    init() throws { server = try LoopbackServer() }

    func get(_ reply: Reply, over transport: any Transport = Network.insecure) async throws -> HTTPResponse {
        try server.reply(to: "/page", with: reply)
        return try await transport.send(page())
    }

    func expectFailure(
        _ code: TransportError.Code, of reply: Reply, over transport: any Transport = Network.insecure,
        within deadline: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try server.always(reply, to: "/page")
        await expectNoResponse(code, to: page(within: deadline), over: transport, sourceLocation: sourceLocation)
    }

    func page(within deadline: Duration = .seconds(10)) -> HTTPRequest {
        HTTPRequest(.get, server.address + "/page", deadline: deadline)
    }

    // MARK: - Slow

    @Test func aStalledResponseEndsAtTheDeadline() async throws {
        try await expectFailure(.deadlineExceeded, of: .stall, within: .milliseconds(100))
        let half = Reply.body(text).stopping(after: 5, by: .stall)
        try await expectFailure(.deadlineExceeded, of: half, within: .milliseconds(100))
        try await server.wait { $0.openConnections == 0 }
    }

    @Test func aLimitOfZeroSendsNothing() async throws {
        await expectNoResponse(.deadlineExceeded, to: page(within: .zero))
        await expectNoResponse(.deadlineExceeded, to: page(within: .seconds(-1)))
        #expect(try server.requests().isEmpty)
        let unlimited = page(within: .seconds(Int64.max))
        #expect(try await Network.insecure.send(unlimited).status == 404)
    }

    @Test func aDelayedResponseIsAwaited() async throws {
        let response = try await get(.body(text).after(.milliseconds(100)))
        #expect(response.body == text)
        #expect(try await get(.body(text).dripping(every: .milliseconds(5))).body == text)
    }

    // MARK: - Interrupted

    @Test func aBrokenConnectionIsAnError() async throws {
        try await expectFailure(.unreachable, of: .reset)
        try await expectFailure(.unreachable, of: .close)
        try await expectFailure(.unreachable, of: .body(text).stopping(after: 5, by: .reset))
    }

    @Test func aTruncatedBodyIsAnError() async throws {
        try await expectFailure(.unreachable, of: .body(text).stopping(after: 5))
        try await expectFailure(.unreachable, of: .body(text).stopping(after: 0))
        try await expectFailure(.unreachable, of: .body(text).announcing(11).then(.close))
        try await expectFailure(.unreachable, of: .status(500, body: text).stopping(after: 5))
    }

    @Test func aTruncatedCompressedBodyIsAnError() async throws {
        let long = Array((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
        #expect(try await get(.body(long).gzipped).body == long)
        try await expectFailure(.unreachable, of: .body(long).gzipped.stopping(after: 500))
        try await expectFailure(.unreachable, of: .body(long).gzipped.chunked(100).stopping(after: 500))
    }

    @Test func truncatedChunksAreAnError() async throws {
        #expect(try await get(.body(text).chunked()).body == text)
        #expect(try await get(.body(text).chunked(3)).body == text)
        try await expectFailure(.unreachable, of: .body(text).chunked(3).stopping(after: 6))
        try await expectFailure(.unreachable, of: .body(text).chunked(3).stopping(after: 0))
    }

    @Test func aBodyMayEndWithTheConnection() async throws {
        #expect(try await get(.body(text).withoutLength).body == text)
    }

    @Test func bytesBeyondTheLengthAreIgnored() async throws {
        let response = try await get(.body(text).announcing(4).then(.close))
        #expect(response.body == Array("0123".utf8))
        // Nor are they taken for the next response.
        try server.reply(to: "/page", with: .body(text).announcing(4))
        _ = try await Network.insecure.send(page())
        #expect(try await get(.body(text)).body == text)
    }

    @Test func garbageIsAnError() async throws {
        for response in Self.garbage { try await expectFailure(.unreachable, of: .raw(response)) }
    }

    static let garbage = [
        "garbage\r\n\r\n", "\0\u{1}\u{2}", "HTTP/1.1\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 200 OK",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nok", "<html></html>",
        "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nabc",
    ]

    @Test func aContentLengthBeyondTheIntegersIsAnError() async throws {
        try server.always(.raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc"), to: "/page")
        // The response is both malformed and too large.
        let error = await #expect(throws: TransportError.self) { _ = try await Network.insecure.send(page()) }
        #expect(error?.code == .unreachable || error?.code == .tooLarge)
    }

    #if Curl && os(Linux)
        /// Both crash Foundation's session of Swift 6.3.
        @Test func malformedHeadsAndTrailersDoNotCrash() async throws {
            guard Network.current == .curl else { return }
            try await expectFailure(.unreachable, of: .raw("HTTP/1.1 200 OK\r\n"))
            let trailers = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"
            let response = try await get(.raw(trailers))
            #expect(response.body == Array("ok".utf8) && response.headers["x-sum"] == nil)
        }
    #endif

    @Test func unusualResponsesAreRead() async throws {
        let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        #expect(try await get(.raw(early)).body == Array("ok".utf8))
        let extended = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\n\r\n"
        #expect(try await get(.raw(extended)).body == Array("ok".utf8))
        let folded = "HTTP/1.1 200 \r\nX-Empty:\r\nX-A: 1\r\nX-a: 2\r\n folded\r\nContent-Length: 2\r\n\r\nok"
        #expect(try await get(.raw(folded)).body == Array("ok".utf8))
        #expect(try await get(.status(304, headers: ["Content-Length": "7", "ETag": "\"1\""])).status == 304)
        #expect(try await get(.status(599, headers: ["Retry-After": "2"])).headers["retry-after"] == "2")
        #expect(try await get(.status(302, body: text)).status == 302)
        #expect(try await get(.redirect(to: ":::")).status == 302)
    }

    @Test func passwordPromptsGetNoCredentials() async throws {
        let challenges = [#"Basic realm="r""#, "Basic", #"Digest realm="r", nonce="n""#, "Negotiate", "Bearer", ",="]
        for challenge in challenges {
            let response = try await get(.status(401, headers: ["WWW-Authenticate": challenge], body: text))
            #expect(response.status == 401)
            #expect(response.body == text)
            #expect(response.headers["www-authenticate"] == challenge)
            #expect(try await get(.status(407, headers: ["Proxy-Authenticate": challenge])).status == 407)
        }
        #expect(try server.requests().count == 2 * challenges.count)
    }

    // MARK: - Large

    #if Curl && os(Linux)
        @Test func aHeadWithoutEndIsRefused() async throws {
            guard Network.current == .curl else { return }
            let line = "X-Filler: " + String(repeating: "x", count: 10_000) + "\r\n"
            let head = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 200)
            try server.always(.raw(head + "\r\n"), to: "/page")
            let error = await #expect(throws: TransportError.self) { _ = try await Network.insecure.send(page()) }
            #expect(error?.code == .tooLarge)
            #expect(error?.message.hasPrefix("the head of the response from 127.0.0.1") == true)
        }

        @Test func theErrorDistinguishesABodyFromAHead() async throws {
            guard Network.current == .curl else { return }
            try server.always(.zeros(100_001), to: "/page")
            let error = await #expect(throws: TransportError.self) {
                _ = try await Network.accepting(100_000).send(page())
            }
            #expect(error?.message.hasPrefix("the body of the response from 127.0.0.1") == true)
        }
    #endif

    @Test func aLargeResponseIsRefused() async throws {
        #expect(try await get(.zeros(100_000), over: Network.accepting(100_000)).body.count == 100_000)
        try await expectFailure(.tooLarge, of: .zeros(100_001), over: Network.accepting(100_000))
        // With a length: refused before the body arrives.
        let announced = Reply.body(text).announcing(100_001).then(.stall)
        try await expectFailure(.tooLarge, of: announced, over: Network.accepting(100_000))
        // Without a length.
        try await expectFailure(.tooLarge, of: .zeros(100_001).withoutLength, over: Network.accepting(100_000))
        try await expectFailure(.tooLarge, of: .zeros(100_001).chunked(), over: Network.accepting(100_000))
        try await expectFailure(.tooLarge, of: .status(500, body: text), over: Network.accepting(9))
    }

    @Test func aRequestMayLowerTheResponseLimit() async throws {
        try server.always(.zeros(100_000), to: "/page")
        var request = page()
        request.maximumResponseSize = 100_000
        #expect(try await Network.accepting(200_000).send(request).body.count == 100_000)
        await expectNoResponse(.tooLarge, to: request, over: Network.accepting(99_999))
        request.maximumResponseSize = 99_999
        await expectNoResponse(.tooLarge, to: request, over: Network.accepting(200_000))
    }

    @Test func theLimitAppliesToTheDecompressedResponse() async throws {
        #expect(try await get(.zeros(1_000_000).gzipped, over: Network.accepting(1_000_000)).body.count == 1_000_000)
        try await expectFailure(.tooLarge, of: .zeros(1_000_001).gzipped, over: Network.accepting(1_000_000))
        try await expectFailure(.tooLarge, of: .zeros(100_000_000).gzipped, over: Network.accepting(1_000_000))
    }
}
