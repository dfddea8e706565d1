/// A transport in memory with programmed responses, which records its requests.
///
/// ```swift
/// let transport = MemoryTransport { request in
///     request.url.hasSuffix("/v1/events") ? .init(status: 204) : .init(status: 404)
/// }
/// ```
public final class MemoryTransport: StreamingTransport {
    /// Responds to a request, or throws as a network does.
    public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse
    /// Responds to a request for a stream, or throws as a network does.
    public typealias StreamHandler = @Sendable (HTTPRequest) async throws -> StreamedResponse

    private struct State {
        var handler: Handler
        var streamHandler: StreamHandler?
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

    /// Replaces the handler of streams from now on. Default: that of other requests; its response is the stream.
    public func respondToStreams(with handler: @escaping StreamHandler) {
        state.withLock { $0.streamHandler = handler }
    }

    /// The recorded requests, oldest first.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Records the request and responds to it. A response that exceeds the request's deadline is canceled.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let handler = state.withLock { state in
            state.requests.append(request)
            return state.handler
        }
        return try await respond(to: request) { try await handler(request) }
    }

    /// Records the request and responds to it. A response whose head exceeds the request's deadline is canceled.
    public func stream(_ request: HTTPRequest) async throws -> StreamedResponse {
        let (handler, streamHandler) = state.withLock { state in
            state.requests.append(request)
            return (state.handler, state.streamHandler)
        }
        return try await respond(to: request) {
            if let streamHandler { return try await streamHandler(request) }
            return StreamedResponse(try await handler(request))
        }
    }

    private func respond<Response: Sendable>(
        to request: HTTPRequest, with handler: @escaping @Sendable () async throws -> Response
    ) async throws -> Response {
        try Task.checkCancellation()
        return try await withThrowingTaskGroup { [clock] group in
            group.addTask { try await handler() }
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
