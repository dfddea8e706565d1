import Foundation
import TestSupport
import TurnoutServer

@Suite("Limits of connections and time", .blocking)
struct LimitTests {
    private static var short: ListenerLimits {
        var limits = ListenerLimits()
        limits.requestTime = .milliseconds(300)
        return limits
    }

    @Test func aClientThatDripsItsRequestIsCutOff() async throws {
        let server = try TestServer(Self.short)
        for (beginning, drip) in [
            ("", ""), ("", "G"), ("GET / HTTP/1.1\r\nHost: a\r\n", "a"),
            ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n", "a"),
            ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
        ] {
            let connection = try server.connect()
            connection.send(beginning)
            let start = ContinuousClock.now
            try await wait("it is cut off") {
                let isCutOff = connection.socket.isReadable(within: 20)
                if !isCutOff { connection.send(drip) }
                return isCutOff
            }
            #expect(connection.rest().isEmpty)
            #expect(ContinuousClock.now - start >= .milliseconds(150))
            #expect(try server.isAlive())
        }
        try await wait("they are counted") { server.counts.timedOutRequests == 5 }
        await server.stop()
    }

    /// Each byte of a body adds time, so that a large one arrives over a slow line.
    @Test func aBodyThatArrivesFastEnoughIsTakenAfterTheTimeLimit() async throws {
        var limits = ListenerLimits()
        (limits.requestTime, limits.bodyRate) = (.seconds(1), 100)
        let server = try TestServer(limits)
        let connection = try server.connect()
        connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\nConnection: close\r\n\r\n")
        let start = ContinuousClock.now
        for _ in 0..<9 {
            connection.send(String(repeating: "a", count: 100))
            try await Task.sleep(for: .milliseconds(150))
        }
        #expect(ContinuousClock.now - start > limits.requestTime)
        #expect(connection.rest().contains("200"))
        #expect(server.counts.timedOutRequests == 0)
        await server.stop()
    }

    @Test func aClientThatDoesNotTakeItsResponseIsCutOff() async throws {
        var limits = ListenerLimits()
        limits.responseTime = .milliseconds(300)
        let body = SharedBody(Array(repeating: 97, count: 32 << 20))
        let server = try TestServer(
            limits, [Route("GET", "/large", "large") { _ in .now(ServerResponse(200, body: .shared(body))) }])
        let connection = try server.connect()
        connection.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        try await wait("it is cut off") { server.counts.timedOutRequests == 1 }
        try await wait("the connection is closed") { server.counts.connections == 0 }
        await server.stop()
    }

    @Test func tooManyConnectionsAreClosed() async throws {
        var limits = ListenerLimits()
        limits.connections = 3
        let server = try TestServer(limits)
        let connections = try (0..<3).map { _ in try server.connect() }
        for connection in connections {
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(connection.read(to: "hello").hasPrefix("HTTP/1.1 200 "))
        }
        #expect(try server.connect().rest().isEmpty)
        #expect(server.counts.refusedConnections == 1)
        connections[0].socket.end()
        try await wait("there is room again") { try server.isAlive() }
        await server.stop()
    }

    @Test func connectionsOfAnAddressAreLimited() async throws {
        var limits = ListenerLimits()
        limits.connectionsPerAddress = 1
        let server = try TestServer(limits)
        let first = try server.connect()
        first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(first.read(to: "hello").hasPrefix("HTTP/1.1 200 "))
        #expect(try server.connect().rest().isEmpty)
        first.socket.end()
        try await wait("there is room again") { try server.isAlive() }
        await server.stop()
    }

    @Test func bodiesThatWouldTakeTooMuchMemoryAreNotRead() async throws {
        var limits = ListenerLimits()
        limits.bodyMemory = 2_000
        let server = try TestServer(limits)
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"
        // There is room for two of them.
        let connections = try (0..<3).map { _ in try server.connect() }
        for connection in connections { connection.send(head + String(repeating: "a", count: 999)) }
        try await wait("one is closed") { connections.contains { $0.socket.isReadable(within: 10) } }
        for connection in connections where !connection.socket.isReadable(within: 0) {
            connection.send("b")
            #expect(connection.read(to: "ab").hasPrefix("HTTP/1.1 200 "))
        }
        #expect(server.counts.refusedRequests == 1)
        try await wait("there is room again") {
            try server.answer(to: head.replacing("1000", with: "5\r\nConnection: close") + "abcde").hasSuffix("abcde")
        }
        await server.stop()
    }

    /// Allows this process to open as many files, as far as the system permits.
    private static func raiseFileLimit(to count: Int) {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        setrlimit(resource, &limit)
    }

    @Test(.thorough) func tenThousandConnectionsDoNotStopTheOthers() async throws {
        let server = try TestServer()
        let before = ResidentMemory.now
        var idle: [TestConnection] = []
        // Both ends of a connection are files of this process.
        Self.raiseFileLimit(to: 2 * (10_000 + 200))
        let count = min(10_000, OpenFiles.limit / 2 - 200)
        if count < 10_000 { print("only \(count) connections of 10,000: the hard limit of open files is too low") }
        for number in 0..<count {
            let connection = try server.connect()
            if number % 2 == 0 { connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\nabc") }
            idle.append(connection)
        }
        #expect(try server.isAlive())
        try await wait("all are open") { server.counts.connections >= count }
        #expect(ResidentMemory.now - before < 400 << 20)
        #expect(try server.isAlive())
        idle = []
        try await wait("all are closed") { server.counts.connections == 0 }
        await server.stop()
    }
}
