import TestSupport
import TurnoutServer

@Suite("Streams", .blocking)
struct StreamTests {
    /// A server that responds with streams, which the test keeps.
    private static func server(
        _ streams: Collected<ResponseStream>, _ limits: ListenerLimits = ListenerLimits(), limit: Int = 1 << 20
    ) throws -> TestServer {
        try TestServer(
            limits,
            [
                Route("GET", "/stream", "streams") { _ in
                    let stream = ResponseStream(limit: limit)
                    streams.add(stream)
                    let headers: HeaderFields = ["Content-Type": "text/event-stream"]
                    return .now(ServerResponse(200, headers: headers, body: .stream(stream)))
                }
            ])
    }

    private static func open(_ server: TestServer) throws -> TestConnection {
        let connection = try server.connect()
        connection.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(connection.readHead().contains("text/event-stream"))
        return connection
    }

    @Test func chunksArriveAsTheyAreSent() async throws {
        let streams = Collected<ResponseStream>()
        let server = try Self.server(streams)
        let connection = try Self.open(server)
        let stream = try #require(streams.all.first)
        for round in 0..<50 {
            stream.send(Array("data: \(round)\n\n".utf8))
            #expect(connection.read(to: "data: \(round)\n\n").hasSuffix("data: \(round)\n\n"))
        }
        stream.end()
        #expect(connection.read(to: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        // The connection stays open.
        connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(connection.read(to: "hello").contains("200 OK"))
        await server.stop()
    }

    @Test func largeChunksAndManyWritersLoseNothing() async throws {
        let streams = Collected<ResponseStream>()
        let server = try Self.server(streams, limit: 64 << 20)
        let connection = try Self.open(server)
        let stream = try #require(streams.all.first)
        await concurrently(0..<4) { writer in
            for round in 0..<200 { stream.send(Array(repeating: 97 + UInt8(writer), count: 1_000 + round)) }
        }
        stream.end()
        let content = Self.content(connection.read(to: "\r\n0\r\n\r\n"))
        let size = (0..<200).reduce(0) { $0 + 1_000 + $1 }
        for writer in 0..<4 as Range<UInt8> { #expect(content.count { $0 == 97 + writer } == size) }
        #expect(content.count == 4 * size)
        await server.stop()
    }

    /// The content of chunks.
    private static func content(_ text: String) -> [UInt8] {
        var (rest, content) = (Array(text.utf8)[...], [UInt8]())
        while let end = rest.firstIndex(of: 13),
            let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), size > 0
        {
            content += rest[(end + 2)..<(end + 2 + size)]
            rest = rest[(end + 2 + size + 2)...]
        }
        return content
    }

    @Test func theStreamOfAClientThatHasGoneIsClosed() async throws {
        let (streams, closed) = (Collected<ResponseStream>(), Collected<Bool>())
        let server = try Self.server(streams)
        do {
            let connection = try Self.open(server)
            streams.all[0].onClose { closed.add(true) }
            #expect(connection.socket.isReadable(within: 0) == false)
        }
        try await wait("it is closed") { closed.count == 1 }
        #expect(streams.all[0].send([97]) == false)
        await server.stop()
    }

    @Test func noStreamStartsForAClientThatHasGone() async throws {
        let (gate, stream, closed) = (Gate(), ResponseStream(), Collected<Bool>())
        stream.onClose { closed.add(true) }
        let server = try TestServer(ListenerLimits(), [.later(gate) { ServerResponse(200, body: .stream(stream)) }])
        let connection = try server.connect()
        connection.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        try await wait("it waits") { gate.waitingCount == 1 }
        connection.finish()
        #expect(try server.isAlive())
        gate.open()
        try await wait("the stream is closed") { closed.count == 1 }
        await server.stop()
    }

    /// In a process of its own, whose descriptors other tests do not use.
    @Test func streamsOfClientsThatHaveGoneReturnBesideAnIdleConnection() async {
        await #expect(processExitsWith: .success) {
            let streams = Collected<ResponseStream>()
            let server = try Self.server(streams)
            let idle = try server.connect()
            idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(idle.read(to: "hello").contains("200 OK"))
            let files = OpenFiles.count
            let closed = Locked(0)
            for round in 0..<20 {
                let connections = try (0..<500).map { _ in try Self.open(server) }
                for stream in streams.all[(500 * round)...] { stream.onClose { closed.withLock { $0 += 1 } } }
                withExtendedLifetime(connections) {}
            }
            try await wait("all are closed") { server.counts.connections == 1 }
            #expect(closed.withLock { $0 } == 10_000)
            // Some are of timers.
            try await wait("their sockets are closed") { OpenFiles.count < files + 20 }
            idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(idle.read(to: "hello").contains("200 OK"))
            // Nothing is left to wait for.
            let end: Void? = await value(within: .seconds(2), on: .continuous) { await server.stop() }
            #expect(end != nil)
        }
    }

    @Test func aReaderThatIsTooSlowLosesItsStream() async throws {
        let (streams, closed) = (Collected<ResponseStream>(), Collected<Bool>())
        var limits = ListenerLimits()
        limits.responseTime = .milliseconds(200)
        // More than the system keeps for a client.
        let server = try Self.server(streams, limits, limit: 32 << 20)
        let connection = try Self.open(server)
        streams.all[0].onClose { closed.add(true) }
        // Longer than other responses may take.
        #expect(!connection.socket.isReadable(within: 500))
        let chunk = Array(repeating: UInt8(97), count: 1 << 20)
        while streams.all[0].send(chunk) {}
        #expect(try server.isAlive())
        try await wait("it is closed") { closed.count == 1 }
        #expect(!connection.rest().hasSuffix("\r\n0\r\n\r\n"))
        await server.stop()
    }

    @Test func headOfAStreamClosesIt() async throws {
        let streams = Collected<ResponseStream>()
        let server = try Self.server(streams)
        let answer = try server.answer(to: "HEAD /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(streams.all[0].send([97]) == false)
        await server.stop()
    }

    @Test func oldClientsReadUntilTheEnd() async throws {
        let streams = Collected<ResponseStream>()
        let server = try Self.server(streams)
        let connection = try server.connect()
        connection.send("GET /stream HTTP/1.0\r\n\r\n")
        #expect(connection.readHead().contains("200 OK"))
        streams.all[0].send(Array("abc".utf8))
        streams.all[0].end()
        #expect(connection.rest() == "abc")
        await server.stop()
    }
}
