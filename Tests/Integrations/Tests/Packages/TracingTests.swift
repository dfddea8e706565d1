import Synchronization
import Testing
import Tracing
import TurnoutClient
import TurnoutTracing

@Suite struct TracingRequests {
    private let tracer = RecordingTracer()
    private let request = HTTPRequest(.get, "https://cdn.example.com:8443/datafiles/secret-key.json")

    @Test func eachRequestHasASpanWithoutItsAddress() async throws {
        let transport = MemoryTransport().traced(by: tracer)
        let response = try await transport.send(request)
        #expect(response.status == 204)
        let span = try #require(tracer.spans.first)
        #expect(span.operationName == "GET")
        #expect(span.isEnded)
        #expect(span.attributes.get("http.request.method") == .string("GET"))
        #expect(span.attributes.get("server.address") == .string("cdn.example.com"))
        #expect(span.attributes.get("server.port") == .int64(8443))
        #expect(span.attributes.get("http.response.status_code") == .int64(204))
        #expect(span.attributes.count == 4)
        #expect(span.status == nil)
    }

    @Test(arguments: [
        ("https://host/path", "host"), ("http://user:password@host", "host"), ("https://[::1]:80/", "[::1]"),
        ("https://[::1]/", "[::1]"),
    ])
    func theServerIsNamedWithoutUserAndPort(url: String, server: String) async throws {
        _ = try await MemoryTransport().traced(by: tracer).send(HTTPRequest(.post, url))
        #expect(tracer.spans.first?.attributes.get("server.address") == .string(server))
    }

    @Test func aRefusalFailsTheSpan() async throws {
        _ = try await MemoryTransport { _ in HTTPResponse(status: 503) }.traced(by: tracer).send(request)
        #expect(tracer.spans.first?.status?.code == .error)
    }

    @Test func aFailureIsRecordedAndThrown() async throws {
        let failure = TransportError(.unreachable, "connection to cdn.example.com refused")
        let transport = MemoryTransport { _ in throw failure }.traced(by: tracer)
        await #expect(throws: failure) { try await transport.send(request) }
        let span = try #require(tracer.spans.first)
        #expect(span.errors == [failure.description])
        #expect(span.status?.code == .error)
        #expect(span.isEnded)
    }

    @Test func theContextIsPropagatedOnlyOnRequest() async throws {
        let network = MemoryTransport()
        _ = try await network.traced(by: tracer).send(request)
        _ = try await network.traced(by: tracer, propagatingContext: true).send(request)
        #expect(network.requests.map { $0.headers["traceparent"] } == [nil, "2"])
    }

    @Test func openingAStreamHasASpan() async throws {
        let network = MemoryTransport { _ in HTTPResponse(status: 200, body: [1, 2]) }
        let transport: any StreamingTransport = network.traced(by: tracer, propagatingContext: true)
        var body: [UInt8] = []
        for try await piece in try await transport.stream(request).body { body += piece }
        #expect(body == [1, 2])
        #expect(network.requests.map { $0.headers["traceparent"] } == ["1"])
        let span = try #require(tracer.spans.first)
        #expect(span.operationName == "GET")
        #expect(span.attributes.get("http.response.status_code") == .int64(200))
        #expect(span.isEnded)
    }

    @Test func aStreamThatIsRefusedFailsTheSpan() async throws {
        let transport = MemoryTransport { _ in HTTPResponse(status: 503) }.traced(by: tracer)
        #expect(try await transport.stream(request).status == 503)
        #expect(tracer.spans.first?.status?.code == .error)
    }

    @Test func deliveriesAreNotPartOfTheTraceOfARequest() async throws {
        let network = MemoryTransport()
        var configuration = ClientConfiguration.quiet
        configuration.transport = network.traced(by: tracer, propagatingContext: true)
        configuration.events.interval = .zero
        let client = try FlagClient(datafile: shop, configuration)
        ServiceContext.withValue(tracer.startSpan("request").context) {
            _ = client.user("ada", attributes: adasAttributes).decide("checkout_redesign")
        }
        try await wait("the delivery") { !network.requests.isEmpty }
        #expect(tracer.spans.map(\.operationName) == ["request", "POST"])
        #expect(tracer.spans.map(\.parent) == [nil, nil])
        await client.close()
    }

    @Test func spansWithinTheRequestAreItsChildren() async throws {
        let tracer = tracer
        let transport = MemoryTransport { request in
            tracer.startSpan("connect").end()
            return HTTPResponse(status: 200)
        }
        _ = try await transport.traced(by: tracer).send(request)
        #expect(tracer.spans.map(\.parent) == [nil, 1])
    }
}

@Suite struct TracingDecisions {
    @Test func anEventNamesTheFlagAndTheVariationButNoUser() throws {
        let client = try FlagClient(datafile: shop, .quiet)
        let event = SpanEvent.decision(client.user("ada", attributes: adasAttributes).decide("checkout_redesign"))
        #expect(event.name == "feature_flag.evaluation")
        #expect(event.attributes.get("feature_flag.key") == .string("checkout_redesign"))
        #expect(event.attributes.get("feature_flag.provider.name") == .string("turnout"))
        #expect(event.attributes.get("feature_flag.result.variant") == .string("one_page"))
        #expect(event.attributes.get("feature_flag.result.reason") == .string("bucketed"))
        #expect(event.attributes.count == 4)
    }

    @Test func anEventTellsWhyThereIsNoDecision() {
        let event = SpanEvent.decision(FlagClient(.quiet).user("ada").decide("checkout_redesign"))
        #expect(event.attributes.get("error.type") == .string("notReady"))
        #expect(event.attributes.get("feature_flag.result.variant") == nil)
    }
}
