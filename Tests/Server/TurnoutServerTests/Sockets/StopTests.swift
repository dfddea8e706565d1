import TestSupport
import TurnoutServer

@Suite("Start and stop", .blocking)
struct StopTests {
    @Test func stoppingFinishesRequestsAndStreams() async throws {
        let (gate, streams) = (Gate(), Collected<ResponseStream>())
        let server = try TestServer(
            ListenerLimits(),
            [
                .later(gate),
                Route("GET", "/stream", "streams") { _ in
                    let stream = ResponseStream()
                    streams.add(stream)
                    return .now(ServerResponse(200, body: .stream(stream)))
                },
            ])
        let (idle, waiting, streaming) = (try server.connect(), try server.connect(), try server.connect())
        idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(idle.read(to: "hello").contains("200 OK"))
        waiting.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        streaming.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(streaming.readHead().contains("200 OK"))
        streams.all[0].send(Array("last".utf8))
        try await wait("it waits") { gate.waitingCount == 1 }
        async let stopped: Void = server.stop()
        // These end before the request that is in progress.
        #expect(idle.rest().isEmpty)
        #expect(streaming.rest() == "4\r\nlast\r\n0\r\n\r\n")
        #expect(throws: TestSocket.Failure.self) { try server.connect() }
        gate.open()
        let late = waiting.rest()
        #expect(late.contains("Connection: close\r\n"))
        #expect(late.hasSuffix("late"))
        await stopped
        #expect(server.counts.connections == 0)
    }

    @Test func whatTakesTooLongIsCutOff() async throws {
        let (gate, streams) = (Gate(), Collected<ResponseStream>())
        let server = try TestServer(
            ListenerLimits(),
            [
                .later(gate),
                Route("GET", "/large", "streams") { _ in
                    let stream = ResponseStream(limit: 1 << 30)
                    for _ in 0..<64 { stream.send(Array(repeating: 97, count: 1 << 20)) }
                    streams.add(stream)
                    return .now(ServerResponse(200, body: .stream(stream)))
                },
            ])
        let (waiting, reading, streaming) = (try server.connect(), try server.connect(), try server.connect())
        waiting.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        reading.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n123")
        streaming.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        try await wait("it waits") { gate.waitingCount == 1 && streams.count == 1 }
        await server.stop(within: .milliseconds(50))
        #expect(waiting.rest().isEmpty)
        #expect(reading.rest().isEmpty)
        // The task's response comes too late.
        gate.open()
        await server.stop()
    }

    @Test func aListenerSaysWhyItCannotStart() async throws {
        let (socket, port) = try TestSocket.listening()
        let listener = SocketListener(port: UInt16(port))
        let error = #expect(throws: ListenerError.self) { try listener.start(RouteTable([])) }
        #expect(error?.description.contains("127.0.0.1, port \(port): the port is in use") == true)
        withExtendedLifetime(socket) {}
        let unknown = #expect(throws: ListenerError.self) {
            try SocketListener(host: "unknown.invalid").start(RouteTable([]))
        }
        #expect(unknown?.description.hasPrefix("cannot listen on unknown.invalid: ") == true)
    }

    @Test(arguments: ["::1", "localhost", "0.0.0.0"])
    func otherAddressesCanBeUsed(host: String) async throws {
        let listener = SocketListener(host: host)
        do { #expect(try listener.start(RouteTable([])) > 0) } catch {
            // A machine may have no IPv6.
            #expect(host == "::1")
        }
        await listener.stop(within: .zero)
    }
}
