import TestSupport

/// The code of "Operating a client" works as described.
@Suite struct HealthTests {
    func operationsResponse(to path: String, _ client: FlagClient) -> (status: Int, type: String, body: String) {
        let text = "text/plain; charset=utf-8"
        switch path {
        case "/health":
            // The process works. An outage of other systems is no reason to restart it.
            return (200, text, "\(client.status)\n")
        case "/ready":
            // Without a datafile every flag is off, so the instance should not get traffic yet.
            return (client.isReady ? 200 : 503, text, "\(client.status)\n")
        case "/metrics":
            return (200, "text/plain; version=0.0.4; charset=utf-8", client.metrics.prometheus())
        default:
            return (404, text, "not found\n")
        }
    }

    @Test func endpointsAnswerWithAndWithoutADatafile() throws {
        let client = FlagClient()
        #expect(operationsResponse(to: "/health", client).status == 200)
        let notReady = operationsResponse(to: "/ready", client)
        #expect(notReady.status == 503 && notReady.body.hasPrefix("not ready: no datafile\n"))
        try client.update(to: shop)
        let ready = operationsResponse(to: "/ready", client)
        #expect(ready.status == 200 && ready.body.hasPrefix("ready: revision 42, passed, "))
        let metrics = operationsResponse(to: "/metrics", client)
        #expect(metrics.type.hasPrefix("text/plain; version=0.0.4") && metrics.body.contains("\nturnout_ready 1\n"))
        #expect(operationsResponse(to: "/", client).status == 404)
    }

    /// Returns after its first request.
    private struct Server {
        func run() async throws {}
    }

    @Test func aClientRunsBesideAServer() async throws {
        var configuration = ClientConfiguration()
        configuration.datafiles = MemoryDatafileSource(shop)
        let client = FlagClient(configuration)
        let server = Server()

        try await withThrowingTaskGroup { group in
            group.addTask { try await client.run(closingWithin: .seconds(5)) }
            group.addTask { try await server.run() }
            try await group.next()
            group.cancelAll()
        }
    }

    /// A client of a datafile server that gives one response.
    private func client(_ clock: ManualClock, _ transport: MemoryTransport) -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.clock = clock
        configuration.log = .silent
        configuration.random = Midpoint()
        configuration.datafiles = .http(sdkKey: "ShopDemoSdkKey", transport: transport)
        configuration.pollingInterval = .seconds(60)
        configuration.maximumDatafileAge = .seconds(600)
        return FlagClient(configuration)
    }

    private struct Midpoint: RandomSource {
        func next() -> UInt64 { 1 << 63 }
    }

    @Test func theStatusIsDescribed() async throws {
        let clock = ManualClock()
        let transport = MemoryTransport { _ in HTTPResponse(status: 200, headers: ["ETag": "1"], body: shop) }
        let client = client(clock, transport)
        try await client.start()
        transport.respond { _ in HTTPResponse(status: 304) }
        for _ in 1...5 {
            try await wait("polling sleeps") { client.status.datafile.nextPoll != nil && clock.sleeperCount == 2 }
            let count = client.status.datafile.requests.unchanged
            clock.advance(by: .seconds(60))
            try await wait("a request ends") { client.status.datafile.requests.unchanged == count + 1 }
        }
        try await wait("polling sleeps") { client.status.datafile.nextPoll != nil }
        clock.advance(by: .seconds(12))
        print(client.status)
        let documented = """
            ready: revision 42, downloaded, checked 12 s ago, changed 5 min ago, next request in 48 s
            events: 3 waiting, 120 delivered, lost: none
            """
        #expect("\(client.status)" == documented.replacing("3 waiting, 120", with: "0 waiting, 0"))
        await client.close()
    }

    @Test func theErrorSaysWhyThereIsNoDatafile() async throws {
        let clock = ManualClock()
        let client = client(clock, MemoryTransport { _ in HTTPResponse(status: 503) })
        await #expect(throws: StartError.self) { try await client.start() }
        try await wait("polling sleeps") { clock.sleeperCount == 1 }
        let printed = Collected<String>()
        func print(_ error: any Error) { printed.add("\(error)") }
        let waiting = Task {
            do {
                try await client.waitUntilReady(within: .seconds(5))
            } catch {
                print(error)
            }
        }
        try await wait("the caller waits") { clock.sleeperCount == 2 }
        clock.advance(by: .seconds(5))
        await waiting.value
        let documented =
            "the client has no datafile after 5 s: no datafile could be downloaded: the datafile server "
            + "responded with 503: a server error; next request in 55 s"
        #expect(printed.all == [documented])
        await client.close()
    }

    @Test func changesAndClientsAreToldApart() async throws {
        let us = try FlagClient(datafile: shop)
        let eu = try FlagClient(datafile: shop)
        let metrics = us.metrics.labeled(.init("client", "us")) + eu.metrics.labeled(.init("client", "eu"))
        #expect(metrics.prometheus().contains("\nturnout_ready{client=\"us\"} 1\nturnout_ready{client=\"eu\"} 1\n"))

        let reader = Task { [client = us] in
            for await status in client.statusChanges { print(status) }
        }
        reader.cancel()
        await reader.value
    }
}
