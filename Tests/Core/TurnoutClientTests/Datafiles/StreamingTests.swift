/// A client that listens to a stream of changes, and polls as well.
@Suite struct StreamingTests {
    private let server = ChangeStreamServer()
    private let clock = ManualClock()
    private let log = MemoryLog()

    private func client(
        polling interval: Duration? = .seconds(60), _ options: HTTPDatafileOptions? = nil
    ) -> FlagClient {
        FlagClient(
            .quiet {
                $0.datafiles = .streaming(
                    sdkKey: "key", transport: server.datafiles.transport, options: options ?? Self.options)
                $0.clock = clock
                $0.random = MidpointRandomSource()
                $0.pollingInterval = interval
                $0.log = log
            })
    }

    private static var options: HTTPDatafileOptions {
        var options = HTTPDatafileOptions()
        options.address = "https://flags.example.com/datafiles/{sdkKey}.json"
        options.token = "secret"
        return options
    }

    /// Starts a client, and waits until its stream is open and confirmed.
    private func startedClient(polling interval: Duration? = .seconds(60)) async throws -> FlagClient {
        server.datafiles.publish(UpdateTests.datafile("1"))
        let client = client(polling: interval)
        try await client.start()
        try await wait("the stream is open") { client.status.datafile.stream?.isOpen == true }
        try await wait("the datafile was requested again") { client.status.datafile.requests.unchanged == 1 }
        return client
    }

    private var messages: [String] { log.entries.map(\.message) }

    @Test func anAnnouncedChangeIsInstalledWithoutPolling() async throws {
        let client = try await startedClient()
        for version in 2...4 {
            server.publish(UpdateTests.datafile("\(version)"), version: version)
            try await wait("revision \(version) is installed") { client.status.revision == "\(version)" }
        }
        #expect(clock.now == ManualClock().now, "no interval has passed")
        #expect(server.downloads.count == 5)
        #expect(client.status.datafile.stream?.changes == 3)
        let opening = try #require(server.openings.first)
        #expect(opening.url == "https://flags.example.com/datafiles/key/changes")
        #expect(opening.headers["Authorization"] == "Bearer secret")
        #expect(opening.headers["Accept"] == "text/event-stream")
        #expect(client.status.description.contains("stream open"))
        await client.close()
    }

    @Test func aVersionThatTheClientHasIsNotRequested() async throws {
        let client = try await startedClient()
        server.announce("v1")
        server.send(": heartbeat\n\nid: v1\n\ndata: {\"type\":\"other\"}\n\ndata: no JSON\n\n")
        server.publish(UpdateTests.datafile("2"), version: 2)
        try await wait("revision 2 is installed") { client.status.revision == "2" }
        #expect(server.downloads.count == 3)
        await client.close()
    }

    @Test func aChangeDuringAPollIsNotMissed() async throws {
        let client = try await startedClient()
        // The first response after the announcement is that of a server that has not changed yet.
        server.announce("v2")
        try await wait("the announced version is requested") { server.downloads.count >= 3 }
        server.datafiles.publish(UpdateTests.datafile("2"))
        server.announce("v2")
        try await wait("revision 2 is installed") { client.status.revision == "2" }
        await client.close()
    }

    @Test func aMissedChangeIsFoundAfterReconnecting() async throws {
        let client = try await startedClient()
        server.announce("v1")
        try await wait("the event arrived") { client.status.datafile.stream?.changes == 1 }
        server.endStreams(throwing: TransportError(.unreachable, "the connection broke"))
        try await wait("the stream is down") { client.status.datafile.stream?.isOpen == false }
        server.datafiles.publish(UpdateTests.datafile("2"))
        try await wait("polling and the stream sleep") { clock.sleeperCount == 2 }
        clock.advance(by: .seconds(1))
        try await wait("revision 2 is installed") { client.status.revision == "2" }
        #expect(server.openings.last?.headers["Last-Event-ID"] == "v1")
        #expect(client.status.datafile.stream?.openings == 2)
        #expect(
            messages.contains(
                "the stream of datafile changes is down: the connection broke; polling continues, next attempt in 1 s"))
        await client.close()
    }

    @Test func aSilentStreamCountsAsBroken() async throws {
        let client = try await startedClient()
        for _ in 1...3 {
            server.send(": heartbeat\n\n")
            try await wait("polling, silence") { clock.sleeperCount == 2 }
            clock.advance(by: .seconds(15))
        }
        #expect(client.status.datafile.stream?.isOpen == true)
        try await wait("polling, silence") { clock.sleeperCount == 2 }
        clock.advance(by: .seconds(46))
        try await wait("the stream is down") { client.status.datafile.stream?.isOpen == false }
        try await wait("the reason is logged") { messages.contains { $0.contains("nothing arrived for 45 s") } }
        await client.close()
    }

    @Test(arguments: [404, 403, 204, 500, 302]) func aRefusedStreamLeavesPolling(status: Int) async throws {
        server.refuse(with: HTTPResponse(status: status))
        server.datafiles.publish(UpdateTests.datafile("1"))
        let client = client()
        try await client.start()
        try await wait("polling and the stream sleep") { clock.sleeperCount == 2 }
        server.datafiles.publish(UpdateTests.datafile("2"))
        clock.advance(by: .seconds(60))
        try await wait("revision 2 is installed") { client.status.revision == "2" }
        #expect(client.status.datafile.stream?.isOpen == false)
        #expect(client.status.errors.isEmpty)
        // After a minute a refused stream was not requested again, one that failed was.
        #expect(server.openings.count == 1 || status == 500)
        await client.close()
    }

    @Test func aResponseThatIsNotAStreamIsRefused() async throws {
        server.refuse(with: HTTPResponse(status: 200, headers: ["content-type": "text/html"], body: [1]))
        server.datafiles.publish(UpdateTests.datafile("1"))
        let client = client()
        try await client.start()
        try await wait("it is logged") { messages.contains { $0.contains("not a stream of events") } }
        await client.close()
    }

    @Test func pausesDoubleAndHonorRetryAfter() async throws {
        server.refuse(with: HTTPResponse(status: 503))
        server.datafiles.publish(UpdateTests.datafile("1"))
        let client = client(polling: nil)
        try await client.start()
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            try await wait("the stream sleeps") { clock.sleeperCount == 1 }
            #expect(messages.last?.hasSuffix("the client does not poll, next attempt in \(pause) s") == true)
            clock.advance(by: .seconds(pause))
        }
        server.refuse(with: HTTPResponse(status: 503, headers: ["Retry-After": "90"]))
        try await wait("the stream sleeps") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(30))
        try await wait("it is honored") { messages.last?.hasSuffix("next attempt in 90 s") == true }
        await client.close()
    }

    @Test func aFailedDownloadIsRepeated() async throws {
        let client = try await startedClient(polling: nil)
        server.datafiles.fail(HTTPResponse(status: 503))
        server.announce("v2")
        try await wait("the failure is known") { client.status.lastError != nil }
        server.datafiles.publish(UpdateTests.datafile("2"))
        try await wait("silence and the pause") { clock.sleeperCount == 2 }
        clock.advance(by: .seconds(1))
        try await wait("revision 2 is installed") { client.status.revision == "2" }
        #expect(client.status.lastError == nil)
        await client.close()
    }

    @Test func aRunningClientRecoversByItsStream() async throws {
        server.datafiles.fail(HTTPResponse(status: 503))
        server.refuse(with: HTTPResponse(status: 503))
        let client = client(polling: nil)
        let run = Task { try await client.run() }
        try await wait("the stream sleeps") { clock.sleeperCount == 1 }
        server.datafiles.publish(UpdateTests.datafile("1"))
        server.refuse(with: nil)
        clock.advance(by: .seconds(1))
        try await client.waitUntilReady()
        run.cancel()
        try await run.value
        #expect(client.status.datafile.stream?.isOpen == false)
        try await wait("nothing sleeps") { clock.sleeperCount == 0 }
    }

    @Test func aClosedClientStopsListening() async throws {
        let client = try await startedClient()
        await client.close()
        try await wait("nothing sleeps") { clock.sleeperCount == 0 }
        server.publish(UpdateTests.datafile("2"), version: 2)
        #expect(client.status.revision == "1")
        #expect(client.status.description.contains("stream down"))
        try await client.start()
        try await wait("the stream is open again") { client.status.datafile.stream?.openings == 2 }
        #expect(client.status.revision == "2")
        await client.close()
    }

    @Test func aReleasedClientStopsListening() async throws {
        do { _ = try await startedClient() }
        try await wait("nothing sleeps") { clock.sleeperCount == 0 }
    }

    @Test func aHostileStreamIsClosed() async throws {
        let client = try await startedClient()
        server.send("data: " + String(repeating: "x", count: 1 << 17))
        try await wait("it is logged") {
            messages.contains { $0.contains("a line of the stream is longer than 65536 bytes") }
        }
        #expect(client.status.datafile.stream?.isOpen == false)
        await client.close()
    }

    @Test(
        arguments: [
            (nil, nil, nil), ("https://x.example/a", nil, nil),
            ("https://x.example/a/{sdkKey}.json", nil, "https://x.example/a/key/changes"),
            ("https://x.example/{sdkKey}", "https://y.example/%@", "https://y.example/key"),
        ] as [(String?, String?, String?)])
    func theAddressFollowsThatOfDatafiles(address: String?, own: String?, expected: String?) async throws {
        var options = HTTPDatafileOptions()
        (options.address, options.changesAddress) = (address, own)
        server.datafiles.publish(UpdateTests.datafile("1"))
        let client = client(options)
        try await client.start()
        try await wait("the stream was opened or given up") {
            server.datafiles.requests.contains { $0.url == expected }
                || messages.contains { $0.contains("set changesAddress") }
        }
        #expect(expected == nil || server.datafiles.requests.contains { $0.url == expected })
        #expect(expected != nil || server.openings.isEmpty)
        await client.close()
    }

    @Test func theStreamIsInTheMetrics() async throws {
        let client = try await startedClient()
        let text = client.metrics.prometheus()
        #expect(text.contains("turnout_datafile_stream_open 1\n"))
        #expect(text.contains("turnout_datafile_stream_openings_total 1\n"))
        await client.close()
        #expect(client.metrics.prometheus().contains("turnout_datafile_stream_open 0\n"))
        let polling = FlagClient(.quiet { $0.datafiles = .memory([]) })
        #expect(!polling.metrics.prometheus().contains("stream"))
    }
}
