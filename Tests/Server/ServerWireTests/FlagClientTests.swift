import TestSupport

/// `TurnoutClient` as a client of a server, over sockets.
@Suite("FlagClient with a server", .blocking)
struct FlagClientTests {
    private func configuration(_ server: LiveServer) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.transport = LiveTransport.make()
        configuration.events.endpoints.us = server.address + "/v1/events"
        configuration.events.interval = .zero
        configuration.minimumPollingInterval = .milliseconds(10)
        return configuration
    }

    private func options(_ server: LiveServer, token: String? = nil) -> HTTPDatafileOptions {
        var options = HTTPDatafileOptions()
        options.address = server.address + (token == nil ? "/datafiles" : "/datafiles/auth") + "/{sdkKey}.json"
        options.token = token
        options.log = .silent
        return options
    }

    private func http(_ server: LiveServer, token: String? = nil) -> HTTPDatafileSource {
        .http(sdkKey: LiveServer.key, transport: LiveTransport.make(), options: options(server, token: token))
    }

    @Test func aProtectedDatafileIsDownloadedOnce() async throws {
        let server = try LiveServer(isProtected: true)
        var configuration = configuration(server)
        configuration.datafiles = http(server, token: "wrong")
        await #expect(throws: StartError.self) { try await FlagClient(configuration).start() }
        configuration.datafiles = http(server, token: LiveServer.token)
        let client = FlagClient(configuration)
        try await client.start()
        #expect(client.status.revision == "42")
        for _ in 1...2 { #expect(try await !client.refresh()) }
        #expect(client.status.datafile.requests.unchanged == 2)
        let route = "/datafiles/auth/{sdkKey}.json"
        #expect(try await server.requests(route, 200) == 1)
        #expect(try await server.requests(route, 304) == 2)
        #expect(try await server.requests(route, 403) == 1)
        await client.close()
        await server.stop()
    }

    @Test func eventsAreCountedOnce() async throws {
        let server = try LiveServer()
        var configuration = configuration(server)
        configuration.datafiles = http(server)
        let client = FlagClient(configuration)
        try await client.start()
        for number in 0..<20 {
            let user = client.user("user \(number)", attributes: ["country": "US", "orders": 12])
            _ = user.decide("checkout_redesign")
            try user.track("purchase", tags: ["revenue": .integer(Int64(number))])
        }
        await client.close()
        #expect(client.status.events.waiting == 0 && client.lostEvents.total == 0)
        let events = try await server.events(atLeast: 40)
        #expect(events.count == 40)
        #expect(Set(events.map { $0.text("uuid") }).count == 40)
        #expect(events.count { $0.text("kind") == "conversion" } == 20)
        #expect(Set(events.map { $0.text("visitor_id") }) == Set((0..<20).map { "user \($0)" }))
        await server.stop()
    }

    @Test(arguments: [nil, LiveServer.token]) func aStreamAnnouncesAChange(token: String?) async throws {
        let server = try LiveServer(isProtected: token != nil)
        var configuration = configuration(server)
        configuration.datafiles = .streaming(
            sdkKey: LiveServer.key, transport: LiveTransport.make(), options: options(server, token: token))
        // Not needed: no test lasts as long.
        configuration.pollingInterval = .seconds(3_600)
        let client = FlagClient(configuration)
        let run = Task { try await client.run() }
        try await wait("the stream") { client.status.datafile.stream?.isOpen == true }
        for revision in 43...47 {
            try server.publish(revision: "\(revision)")
            try await wait("revision \(revision)") { client.status.revision == "\(revision)" }
        }
        #expect(client.status.datafile.stream?.openings == 1)
        run.cancel()
        try await run.value
        #expect(client.status.datafile.stream?.isOpen == false)
        await server.stop()
    }

    @Test func aClientOutlivesARestartOfItsServer() async throws {
        let server = try LiveServer()
        var configuration = configuration(server)
        configuration.datafiles = .streaming(
            sdkKey: LiveServer.key, transport: LiveTransport.make(), options: options(server))
        configuration.pollingInterval = .milliseconds(20)
        let client = FlagClient(configuration)
        try await client.start()
        try await wait("the stream") { client.status.datafile.stream?.isOpen == true }
        await server.stop()
        try await wait("the stream is down") { client.status.datafile.stream?.isOpen == false }
        #expect(client.status.revision == "42")
        await client.close()
    }
}
