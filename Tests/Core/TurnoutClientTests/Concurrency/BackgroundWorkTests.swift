/// Background work has none of the task-local values, such as the current span of a trace, of the call that started it.
/// Work that a caller waits for has them.
@Suite struct BackgroundWorkTests {
    @TaskLocal private static var trace = "none"

    /// The traces of the requests.
    private let traces = Collected<String>()

    @Test(arguments: [0, 1])
    func deliveriesJoinNoTrace(interval: Int) async throws {
        let traces = traces
        let setup = EventSetup {
            $0.events.interval = .seconds(interval)
        } respond: { _ in
            traces.add(Self.trace)
            return HTTPResponse(status: 204)
        }
        try Self.$trace.withValue("request") { try setup.track(1) }
        if interval > 0 {
            try await wait("the interval starts") { setup.clock.sleeperCount == 1 }
            setup.clock.advance(by: .seconds(interval))
        }
        try await wait("the event is sent") { traces.count == 1 }
        #expect(traces.all == ["none"])
        await setup.client.close()
    }

    @Test func aFlushDeliversOutsideTheTraceOfItsCaller() async throws {
        let traces = traces
        let setup = EventSetup {
            $0.events.interval = .seconds(60)
        } respond: { _ in
            traces.add(Self.trace)
            return HTTPResponse(status: 204)
        }
        try setup.track(1)
        await Self.$trace.withValue("request") { await setup.client.flush(within: .seconds(10)) }
        #expect(traces.all == ["none"])
        await setup.client.close()
    }

    @Test func pollingLeavesTheTraceOfTheStart() async throws {
        let (server, clock) = (DatafileServer(), ManualClock())
        server.publish(UpdateTests.datafile("1"))
        let network = network(server)
        let client = FlagClient(
            .quiet {
                $0.datafiles = .http(sdkKey: "key", transport: network)
                $0.clock = clock
                $0.random = MidpointRandomSource()
                $0.pollingInterval = .seconds(60)
            })
        try await Self.$trace.withValue("request") { try await client.start() }
        try await wait("polling sleeps") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(60))
        try await wait("the client has polled") { traces.count == 2 }
        #expect(traces.all == ["request", "none"])
        await client.close()
    }

    @Test func streamsLeaveTheTraceOfTheStart() async throws {
        let server = DatafileServer()
        server.publish(UpdateTests.datafile("1"))
        let (network, traces) = (network(server), traces)
        network.respondToStreams { _ in
            traces.add(Self.trace)
            return StreamedResponse(status: 200, body: AsyncThrowingStream { _ in })
        }
        var options = HTTPDatafileOptions()
        options.address = "https://flags.example.com/datafiles/{sdkKey}.json"
        let client = FlagClient(
            .quiet { $0.datafiles = .streaming(sdkKey: "key", transport: network, options: options) })
        try await Self.$trace.withValue("request") { try await client.start() }
        try await wait("the stream is open") { traces.count >= 2 }
        #expect(traces.all.first == "request")
        #expect(traces.all.dropFirst().allSatisfy { $0 == "none" })
        await client.close()
    }

    @Test func aLookupOfACallerIsPartOfItsTrace() async throws {
        let source = TracedSegments(traces: traces)
        let client = try FlagClient(datafile: SegmentTests.datafile, .quiet { $0.segments = source })
        try await Self.$trace.withValue("request") { _ = try await client.segments(of: "ada") }
        #expect(traces.all == ["request"])
        await client.close()
    }

    private func network(_ server: DatafileServer) -> MemoryTransport {
        let traces = traces
        return MemoryTransport { request in
            traces.add(Self.trace)
            return try await server.transport.send(request)
        }
    }

    private struct TracedSegments: SegmentSource {
        let traces: Collected<String>

        func segments(of userID: String, among candidates: [String]) async throws -> [String] {
            traces.add(BackgroundWorkTests.trace)
            return []
        }
    }
}
