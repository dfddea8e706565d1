public import Testing
public import TurnoutClient

/// Checks that a transport fulfills its contract.
///
/// ```swift
/// @Test func keepsTheContract() async throws {
///     try await checkTransport(peer: "http://127.0.0.1:\(port)") { MyTransport() }
/// }
/// ```
///
/// An implementation must guarantee that
/// - method, path, headers and body of the request, and status, headers and body of the response, arrive unchanged;
/// - a response with any status is returned, and redirects are not followed;
/// - a request fails when its deadline passes or the task is canceled;
/// - requests may run concurrently.
///
/// - Parameters:
///   - address: The address of a peer that responds like ``EchoPeer``; paths are appended to it.
///   - unreachable: An address that refuses connections. Default: nil, not checked.
///   - location: Where failures are reported.
///   - make: Creates a transport.
/// - Throws: Unexpected errors of the implementation.
public func checkTransport(
    peer address: String, unreachable: String? = nil, sourceLocation location: SourceLocation = #_sourceLocation,
    _ make: () async throws -> any Transport
) async throws {
    let check = TransportCheck(transport: try await make(), address: address, location: location)
    try await check.echoes()
    try await check.statuses()
    await check.deadline()
    await check.cancellation()
    try await check.manyAtOnce()
    guard let unreachable else { return }
    await #expect(throws: TransportError.self, "a refused connection is an error", sourceLocation: location) {
        _ = try await check.transport.send(HTTPRequest(.get, unreachable))
    }
}

private struct TransportCheck: Sendable {
    let transport: any Transport
    let address: String
    let location: SourceLocation

    func echoes() async throws {
        let bodies: [[UInt8]] = [
            [], Array("plain".utf8), Array(0...255), Array(repeating: 0x78, count: 100_000),
        ]
        for body in bodies {
            let request = HTTPRequest(
                .post, address + "/echo", headers: ["Content-Type": "application/json", "X-Echo-One": "a b;c=\"d\""],
                body: body)
            let response = try await transport.send(request)
            #expect(response.status == 200, "the peer responds", sourceLocation: location)
            #expect(response.body == body, "the body is echoed", sourceLocation: location)
            #expect(response.headers["x-method"] == "POST", "the method arrives", sourceLocation: location)
            #expect(
                response.headers["x-echo-one"] == "a b;c=\"d\"",
                "headers are echoed, with names in lower case", sourceLocation: location)
        }
        let response = try await transport.send(HTTPRequest(.get, address + "/echo?a=b%20c"))
        #expect(response.headers["x-method"] == "GET", "the method arrives", sourceLocation: location)
        #expect(response.body.isEmpty, "an empty body is empty", sourceLocation: location)
    }

    func statuses() async throws {
        for status in [200, 204, 302, 304, 400, 404, 413, 429, 500, 503] {
            let response = try await transport.send(HTTPRequest(.get, address + "/status/\(status)"))
            #expect(response.status == status, "a response with any status is returned", sourceLocation: location)
            #expect(
                response.isSuccess == (status < 300), "only 200 to 299 is a success", sourceLocation: location)
        }
    }

    func deadline() async {
        let clock = ContinuousClock()
        let start = clock.now
        let request = HTTPRequest(.get, address + "/never", deadline: .milliseconds(20))
        await #expect(
            throws: TransportError.self, "a request fails after its deadline", sourceLocation: location
        ) {
            do {
                _ = try await transport.send(request)
            } catch let error as TransportError {
                #expect(error.code == .deadlineExceeded, "the error is deadlineExceeded", sourceLocation: location)
                throw error
            }
        }
        let elapsed = start.duration(to: clock.now)
        #expect(elapsed >= .milliseconds(20), "the request does not fail early", sourceLocation: location)
        #expect(elapsed < .seconds(10), "the deadline is kept", sourceLocation: location)
    }

    func cancellation() async {
        let task = Task { try await transport.send(HTTPRequest(.get, address + "/never", deadline: .seconds(60))) }
        for _ in 0..<20 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self, "a canceled request ends", sourceLocation: location) {
            _ = try await task.value
        }
    }

    func manyAtOnce() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<32 {
                group.addTask {
                    let body = Array("request \(number)".utf8)
                    let response = try await transport.send(HTTPRequest(.post, address + "/echo", body: body))
                    #expect(response.body == body, "responses are not mixed up", sourceLocation: location)
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The responses of the peer that ``checkTransport(peer:unreachable:sourceLocation:_:)`` and
/// ``checkStreamingTransport(peer:unreachable:sourceLocation:_:)`` need; tests of adapters serve them over a socket.
///
/// | Path | Response |
/// | --- | --- |
/// | `/echo` | 200, the request's body, its headers that start with `x-echo-`, and its method as `x-method` |
/// | `/status/503` | that status; 300 to 399 with `location: /echo` |
/// | `/never` | none |
/// | `/pieces` | 200, `text/plain`, ``pieces`` in pieces of any size, with pauses |
/// | `/open` | 200, `open`, and no end |
public enum EchoPeer {
    /// The response to a request, whose `url` may be a path or a complete URL.
    public static func response(to request: HTTPRequest) async throws -> HTTPResponse {
        let path = request.url.split(separator: "?", maxSplits: 1).first ?? ""
        let parts = path.split(separator: "/")
        switch parts.last {
        case "echo":
            var headers = request.headers.filter { $0.key.lowercased().hasPrefix("x-echo-") }
            headers["x-method"] = request.method.rawValue
            return HTTPResponse(status: 200, headers: headers, body: request.body)
        case "never":
            try await Task.sleep(for: .seconds(3_600))
            return HTTPResponse(status: 500)
        case .some(let text) where parts.dropLast().last == "status":
            let status = Int(text) ?? 400
            return HTTPResponse(status: status, headers: (300..<400).contains(status) ? ["location": "/echo"] : [:])
        default: return HTTPResponse(status: 404)
        }
    }
}
