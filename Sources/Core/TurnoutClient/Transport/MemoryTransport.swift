/// A transport in memory with programmed answers, which records its requests.
///
/// ```swift
/// let transport = MemoryTransport { request in
///     request.url.hasSuffix("/v1/events") ? .init(status: 204) : .init(status: 404)
/// }
/// ```
public final class MemoryTransport: Transport {
    /// Answers a request, or throws as a network does.
    public typealias Answer = @Sendable (HTTPRequest) async throws -> HTTPResponse

    private struct State {
        var answer: Answer
        var requests: [HTTPRequest] = []
    }

    private let state: Locked<State>
    private let clock: any Clock<Duration>

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - clock: Measures the deadlines of requests. Default: the system's clock.
    ///   - answer: Answers requests. Default: 204 and no content.
    public init(
        clock: any Clock<Duration> = .continuous,
        _ answer: @escaping Answer = { _ in HTTPResponse(status: 204) }
    ) {
        self.clock = clock
        state = Locked(State(answer: answer))
    }

    /// Replaces the answers from now on.
    public func answer(with answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    /// The recorded requests, oldest first.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Records the request and answers it. An answer that exceeds the request's deadline is cancelled.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
        try Task.checkCancellation()
        return try await withThrowingTaskGroup { [clock] group in
            group.addTask { try await answer(request) }
            group.addTask {
                try await clock.sleep(for: request.deadline)
                throw TransportError(.deadlineExceeded, "no answer within \(request.deadline.logText)")
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
