import Foundation
import TestSupport
import TurnoutServer

@Suite("Requests and responses", .blocking)
struct ExchangeTests {
    @Test func aRequestReachesItsRoute() async throws {
        let server = try TestServer()
        let request = "POST /echo?a=b%20c&d HTTP/1.1\r\nHost: a\r\nX-Two:  a \t\r\nContent-Length: 3\r\n"
        let answer = try server.answer(to: request + "Connection: close\r\n\r\nabc")
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.hasSuffix("\r\n\r\nabc"))
        let head = try #require(server.requests.all.first?.head)
        #expect(head.method == "POST")
        #expect(head.path == "/echo")
        #expect(head.query["a"] == "b c")
        #expect(head.query["d"] == "")
        #expect(head.headers["x-two"] == "a")
        #expect(head.remoteAddress == "127.0.0.1")
        await server.stop()
    }

    @Test(arguments: ["http://a:80/?b=c", "HTTP://A:80?b=c", "/?b=c"])
    func aCompleteAddressIsAccepted(address: String) async throws {
        let server = try TestServer()
        let answer = try server.answer(to: "GET \(address) HTTP/1.1\r\nHost: a:80\r\nConnection: close\r\n\r\n")
        #expect(answer.hasSuffix("hello"))
        #expect(server.requests.all.first?.head.query["b"] == "c")
        await server.stop()
    }

    @Test func optionsOfTheWholeServerAreAnswered() async throws {
        let server = try TestServer()
        let answer = try server.answer(to: "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 204 "))
        #expect(answer.contains("Allow: GET, POST\r\n"))
        await server.stop()
    }

    @Test func pipelinedRequestsAreAnsweredInTheirOrder() async throws {
        let server = try TestServer()
        let requests = (0..<100).map { "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n\($0 + 1_000)" }
        let connection = try server.connect()
        connection.send(requests.joined() + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let bodies = connection.rest().components(separatedBy: "\r\n\r\n").dropFirst().map { $0.prefix(4) }
        #expect(bodies.dropLast().map(String.init) == (0..<100).map { "\($0 + 1_000)" })
        await server.stop()
    }

    @Test func aBodyInChunksIsComplete() async throws {
        let server = try TestServer()
        let connection = try server.connect()
        connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n")
        connection.send("2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n")
        #expect(connection.read(to: "abcde").hasPrefix("HTTP/1.1 200 "))
        await server.stop()
    }

    @Test func aLargeBodyInChunksIsRefused() async throws {
        let server = try TestServer()
        let connection = try server.connect()
        connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<10 { connection.send("100\r\n" + String(repeating: "a", count: 256) + "\r\n") }
        connection.send("0\r\n\r\n")
        let answer = connection.rest()
        #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.hasSuffix("\r\n\r\necho less\n"))
        // Without an end, the connection is closed.
        let endless = try server.connect()
        endless.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array(("10000\r\n" + String(repeating: "a", count: 65_536) + "\r\n").utf8)
        for _ in 0..<40 { endless.send(chunk) }
        #expect(endless.rest().isEmpty)
        #expect(server.requests.count == 0)
        await server.stop()
    }

    @Test func aClientThatExpectsItIsToldToContinue() async throws {
        let server = try TestServer()
        let connection = try server.connect()
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
        connection.send(head + "3\r\n\r\n")
        #expect(connection.readHead() == "HTTP/1.1 100 Continue\r\n\r\n")
        connection.send("abc")
        #expect(connection.read(to: "abc").hasPrefix("HTTP/1.1 200 "))
        // A body that is too large is not asked for.
        connection.send(head + "3000\r\n\r\n")
        let answer = connection.rest()
        #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.hasSuffix("\r\n\r\necho less\n"))
        await server.stop()
    }

    @Test func headHasNoContent() async throws {
        let server = try TestServer()
        let answer = try server.answer(to: "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains("Content-Length: 5\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
        await server.stop()
    }

    @Test func oldClientsAreServed() async throws {
        let server = try TestServer()
        let answer = try server.answer(to: "GET / HTTP/1.0\r\n\r\n")
        #expect(answer.hasSuffix("hello"))
        await server.stop()
    }

    @Test(arguments: [204, 304])
    func someResponsesHaveNoContent(status: Int) async throws {
        let server = try TestServer(
            ListenerLimits(),
            [Route("GET", "/none", "nothing") { _ in .now(ServerResponse(status, headers: ["ETag": "\"a\""])) }])
        let connection = try server.connect()
        for _ in 0..<2 {
            connection.send("GET /none HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = connection.readHead()
            #expect(head.hasPrefix("HTTP/1.1 \(status) "))
            #expect(head.contains("ETag: \"a\"\r\n"))
            #expect(!head.contains("Transfer-Encoding"))
        }
        await server.stop()
    }

    @Test func aLaterResponseIsSentWhenItIsMade() async throws {
        let gate = Gate()
        let server = try TestServer(ListenerLimits(), [.later(gate)])
        let connections = try (0..<20).map { _ in try server.connect() }
        for connection in connections { connection.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n") }
        try await wait("all wait") { gate.waitingCount == 20 }
        #expect(try server.isAlive())
        gate.open()
        for connection in connections { #expect(connection.read(to: "late").hasPrefix("HTTP/1.1 200 ")) }
        await server.stop()
    }

    @Test func workIsFinishedForAClientThatHasGone() async throws {
        let (gate, done) = (Gate(), Collected<Bool>())
        let slow = Route.later(gate) {
            done.add(Task.isCancelled)
            return .text(200, "late")
        }
        let server = try TestServer(ListenerLimits(), [slow])
        do {
            let connection = try server.connect()
            connection.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
            try await wait("it waits") { gate.waitingCount == 1 }
        }
        gate.open()
        try await wait("the work is finished") { done.all == [false] }
        try await wait("the connection is closed") { server.counts.connections == 0 }
        await server.stop()
    }

    @Test func aClosedResponseHasNoBytes() async throws {
        let server = try TestServer(
            ListenerLimits(),
            [
                Route("GET", "/closed", "closes") { _ in .now(.closed) },
                Route("GET", "/later", "closes") { _ in .later { .closed } },
            ])
        #expect(try server.answer(to: "GET /closed HTTP/1.1\r\nHost: a\r\n\r\n").isEmpty)
        #expect(try server.answer(to: "GET /later HTTP/1.1\r\nHost: a\r\n\r\n").isEmpty)
        await server.stop()
    }

    @Test func sharedContentIsSentAgainAndAgain() async throws {
        let bytes = (0..<500_000).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        let body = SharedBody(bytes)
        let shared = Route("GET", "/shared", "shares") { request in
            .now(ServerResponse(200, headers: ["X-Id": request.head.query["id"] ?? ""], body: .shared(body)))
        }
        let server = try TestServer(ListenerLimits(), [shared])
        let connection = try server.connect()
        for round in 0..<5 {
            connection.send("GET /shared?id=\(round) HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = connection.readHead()
            #expect(head.contains("X-Id: \(round)\r\n"))
            #expect(head.contains("Content-Length: 500000\r\n"))
            #expect(connection.read(to: String(decoding: bytes, as: UTF8.self)).utf8.count == 500_000)
        }
        await server.stop()
    }

    @Test func aQueryMayHaveThousandsOfParameters() async throws {
        let server = try TestServer()
        let query = (0..<1_500).map { "k=\($0)" }.joined(separator: "&")
        let answer = try server.answer(to: "GET /?\(query) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasSuffix("hello"))
        #expect(server.requests.all.first?.head.query.values("k").count == 1_500)
        await server.stop()
    }

    @Test func compressedBodiesAreExpanded() async throws {
        let server = try TestServer()
        let content = Array(String(repeating: "a", count: 1_000).utf8)
        for (content, status) in [(content, 200), (content + [0], 413), (Array(repeating: 0, count: 9_000_000), 413)] {
            let bytes = try #require(Zlib().gzip(content))
            guard bytes.count <= 1_000 else { continue }
            let head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n"
            let answer = try server.answer(to: Array((head + "Connection: close\r\n\r\n").utf8) + bytes)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            let text = status == 200 ? String(decoding: content, as: UTF8.self) : "after expansion, echo less\n"
            #expect(answer.hasSuffix(text))
        }
        await server.stop()
    }
}
