import Foundation

/// Reuse of connections.
@Suite(.overEachNetwork, .blocking) struct ConnectionTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test func oneConnectionServesManyRequests() async throws {
        for number in 0..<100 {
            let body = Array("{\"number\":\(number)}".utf8)
            // A new transport each time: they share the session.
            let response = try await Network.insecure.send(
                HTTPRequest(.post, server.address + "/v1/events", body: body))
            #expect(response.status == 204)
        }
        let statistics = try server.statistics
        #expect(statistics.requests == 100)
        // It is one if this test runs alone. Other tests use other servers, and the session keeps few idle connections.
        #expect(statistics.connections <= 25)
    }

    @Test func anIdleConnectionThatWasClosedIsReplaced() async throws {
        try server.always(.status(204).then(.close), to: "/v1/events")
        for _ in 0..<20 {
            let response = try await Network.insecure.send(
                HTTPRequest(.post, server.address + "/v1/events", body: [0x7B, 0x7D]))
            #expect(response.status == 204)
            // A request that meets the end of its connection on the way may fail with it.
            try await server.wait { $0.openConnections == 0 }
        }
        #expect(try server.statistics.requests == 20)
    }

    /// Servers close idle connections, at times just as they are reused. In a separate process, because the session
    /// keeps few idle connections, and other tests use them up.
    @Test func aConnectionThatFailsOnReuseIsReplaced() async throws {
        await #expect(processExitsWith: .success) { [network = Network.current as Network] in
            let server = try LoopbackServer()
            for size in [1, 100_000, 1, 100_000] {
                _ = try await network.insecure.send(HTTPRequest(.get, server.address + "/echo"))
                try server.reply(to: "/echo", with: .reset)
                let body = [UInt8](repeating: 0x78, count: size)
                let start = ContinuousClock.now
                let response = try await network.insecure.send(
                    HTTPRequest(.post, server.address + "/echo", body: body, deadline: .seconds(60)))
                #expect(response.body == body && start.duration(to: .now) < .seconds(40))
            }
        }
    }

    @Test func aServerThatAlwaysBreaksTheConnectionIsUnreachable() async throws {
        try server.always(.reset, to: "/v1/events")
        _ = try await Network.insecure.send(HTTPRequest(.get, server.address + "/echo"))
        await #expect(throws: TransportError.self) {
            _ = try await Network.insecure.send(
                HTTPRequest(.post, server.address + "/v1/events", body: [1], deadline: .seconds(30)))
        }
    }

    @Test func manyRequestsAtOnceAllGetTheirResponses() async throws {
        try await withThrowingTaskGroup { [server] group in
            for number in 0..<200 {
                group.addTask {
                    let body = Array("request \(number)".utf8)
                    let request = HTTPRequest(.post, server.address + "/echo", body: body, deadline: .seconds(30))
                    let response = try await Network.insecure.send(request)
                    #expect(response.body == body)
                }
            }
            try await group.waitForAll()
        }
        let statistics = try server.statistics
        #expect(statistics.requests == 200)
        #expect(statistics.connections <= 50)
    }

    @Test func aCancelledRequestClosesItsConnection() async throws {
        let request = HTTPRequest(.get, server.address + "/never", deadline: .seconds(60))
        let task = Task { try await Network.insecure.send(request) }
        _ = try await server.requests(to: "/never", atLeast: 1)
        #expect(try server.statistics.openConnections == 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        try await server.wait { $0.openConnections == 0 }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let request = HTTPRequest(.get, server.address + "/status/200")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Network.insecure.send(request)
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(try server.requests().isEmpty)
    }

    @Test func cancellingAtAnyMomentEndsTheRequest() async throws {
        for step in 0..<60 {
            let request = HTTPRequest(.get, server.address + "/never", deadline: .seconds(60))
            let task = Task { try await Network.insecure.send(request) }
            try await Task.sleep(for: .microseconds(step * 20))
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
        try await server.wait { $0.openConnections == 0 }
    }
}
