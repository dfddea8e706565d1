public import Testing
public import TurnoutClient

/// Checks that a transport fulfills the contract for streams. ``checkTransport(peer:unreachable:sourceLocation:_:)``
/// checks the rest.
///
/// ```swift
/// @Test func keepsTheContractForStreams() async throws {
///     try await checkStreamingTransport(peer: "http://127.0.0.1:\(port)") { MyTransport() }
/// }
/// ```
///
/// An implementation must guarantee that
/// - the head of a response is returned with any status, before the body is complete;
/// - the pieces of the body arrive unchanged and in order, and the body ends where the server ends it;
/// - the deadline of a request applies to the head and not to the body;
/// - canceling a task ends its request, or its reading of a body;
/// - open streams do not hold up requests.
///
/// - Parameters:
///   - address: The address of a peer that responds like ``EchoPeer``; paths are appended to it.
///   - unreachable: An address that refuses connections. Default: nil, not checked.
///   - location: Where failures are reported.
///   - make: Creates a transport.
/// - Throws: Unexpected errors of the implementation.
public func checkStreamingTransport(
    peer address: String, unreachable: String? = nil, sourceLocation location: SourceLocation = #_sourceLocation,
    _ make: () async throws -> any StreamingTransport
) async throws {
    let check = StreamingTransportCheck(transport: try await make(), address: address, location: location)
    try await check.pieces()
    try await check.statuses()
    try await check.openBody()
    await check.deadline()
    await check.cancellation()
    try await check.manyStreams()
    guard let unreachable else { return }
    await #expect(throws: TransportError.self, "a refused connection is an error", sourceLocation: location) {
        _ = try await check.transport.stream(HTTPRequest(.get, unreachable))
    }
}

private struct StreamingTransportCheck: Sendable {
    let transport: any StreamingTransport
    let address: String
    let location: SourceLocation

    func pieces() async throws {
        let response = try await transport.stream(HTTPRequest(.get, address + "/pieces"))
        #expect(response.status == 200, "the peer responds", sourceLocation: location)
        #expect(response.headers["content-type"] == "text/plain", "headers arrive", sourceLocation: location)
        var body: [UInt8] = []
        for try await piece in response.body { body += piece }
        #expect(body == EchoPeer.pieces, "the body arrives in order, and ends", sourceLocation: location)
    }

    func statuses() async throws {
        for status in [200, 204, 302, 304, 403, 404, 503] {
            let response = try await transport.stream(HTTPRequest(.get, address + "/status/\(status)"))
            #expect(response.status == status, "a head with any status is returned", sourceLocation: location)
            for try await _ in response.body {}
        }
    }

    func openBody() async throws {
        let response = try await transport.stream(
            HTTPRequest(.get, address + "/open", deadline: .milliseconds(500)))
        let reader = Task {
            var pieces = response.body.makeAsyncIterator()
            let first = try await pieces.next()
            #expect(first == Array("open".utf8), "pieces arrive before the end", sourceLocation: location)
            return try await pieces.next()
        }
        try await Task.sleep(for: .milliseconds(600))
        reader.cancel()
        let rest = await reader.result
        guard case .failure(let error) = rest else { return }
        #expect(error is CancellationError, "the deadline is over after the head", sourceLocation: location)
    }

    func deadline() async {
        let request = HTTPRequest(.get, address + "/never", deadline: .milliseconds(20))
        let error = await #expect(throws: TransportError.self, "the head has a deadline", sourceLocation: location) {
            _ = try await transport.stream(request)
        }
        #expect(error?.code == .deadlineExceeded, "the error is deadlineExceeded", sourceLocation: location)
    }

    func cancellation() async {
        let task = Task {
            _ = try await transport.stream(HTTPRequest(.get, address + "/never", deadline: .seconds(60)))
        }
        for _ in 0..<20 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self, "a canceled request ends", sourceLocation: location) {
            try await task.value
        }
    }

    func manyStreams() async throws {
        var streams: [StreamedResponse] = []
        for _ in 0..<40 { streams.append(try await transport.stream(HTTPRequest(.get, address + "/open"))) }
        let response = try await transport.send(HTTPRequest(.get, address + "/status/200"))
        #expect(response.status == 200, "open streams do not hold up requests", sourceLocation: location)
        withExtendedLifetime(streams) {}
    }
}

extension EchoPeer {
    /// The body of `/pieces`.
    public static let pieces: [UInt8] = Array("one two three four five six seven eight".utf8)

    /// The response to a request for a stream.
    public static func streamedResponse(to request: HTTPRequest) async throws -> StreamedResponse {
        let (body, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
        switch request.url.split(separator: "/").last {
        case "pieces":
            for start in stride(from: 0, to: pieces.count, by: 4) {
                continuation.yield(Array(pieces[start...].prefix(4)))
            }
            continuation.finish()
            return StreamedResponse(status: 200, headers: ["content-type": "text/plain"], body: body)
        case "open":
            continuation.yield(Array("open".utf8))
            return StreamedResponse(status: 200, body: body)
        default: return StreamedResponse(try await response(to: request))
        }
    }
}
