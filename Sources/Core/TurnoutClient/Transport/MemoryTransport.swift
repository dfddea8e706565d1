/// A transport in memory with programmed responses, which records its requests.
///
/// ```swift
/// let transport = MemoryTransport { request in
///     request.url.hasSuffix("/v1/events") ? .init(status: 204) : .init(status: 404)
/// }
/// ```
public final class MemoryTransport: Transport {
    /// Responds to a request, or throws as a network does.
    public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

    private struct State {
        var handler: Handler
        var requests: [HTTPRequest] = []
    }

    private let state: Locked<State>
    private let clock: any Clock<Duration>

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - clock: Measures the deadlines of requests. Default: the system's clock.
    ///   - handler: Responds to requests. Default: 204 and no content.
    public init(
        clock: any Clock<Duration> = .continuous,
        _ handler: @escaping Handler = { _ in HTTPResponse(status: 204) }
    ) {
        self.clock = clock
        state = Locked(State(handler: handler))
    }

    /// Replaces the handler from now on.
    public func respond(with handler: @escaping Handler) { state.withLock { $0.handler = handler } }

    /// The recorded requests, oldest first.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Records the request and responds to it. A response that exceeds the request's deadline is canceled.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let handler = state.withLock { state in
            state.requests.append(request)
            return state.handler
        }
        try Task.checkCancellation()
        return try await withThrowingTaskGroup { [clock] group in
            group.addTask { try await handler(request) }
            group.addTask {
                try await clock.sleep(for: request.deadline)
                throw TransportError(.deadlineExceeded, "no response within \(request.deadline.logText)")
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }
}

extension Transport where Self == MemoryTransport {
    /// Creates a transport in memory that accepts everything.
    public static var memory: MemoryTransport { MemoryTransport() }
}
