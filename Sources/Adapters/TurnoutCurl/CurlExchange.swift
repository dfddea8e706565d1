#if Curl && os(Linux)
    import TurnoutClient

    /// A pending request. It ends with the complete response, an error, the deadline, or the cancellation of the
    /// waiting task, whichever comes first.
    final class CurlExchange: Sendable {
        let request: HTTPRequest
        let options: TransportOptions
        let deadline: ContinuousClock.Instant
        private let result = OneShot<Result<HTTPResponse, any Error>>()

        init(_ request: HTTPRequest, _ options: TransportOptions) {
            self.request = request
            self.options = options
            // Longer deadlines would overflow.
            deadline = .now.advanced(by: min(request.deadline, .seconds(366 * 86_400)))
        }

        /// The error at the deadline.
        var deadlineError: TransportError {
            TransportError(
                .deadlineExceeded, "no complete response from \(request.authority) within \(request.deadline.logText)")
        }

        /// Waits until the exchange is over.
        func response() async throws -> HTTPResponse {
            guard let result = await result.value() else { throw CancellationError() }
            return try result.get()
        }

        /// Ends the exchange, unless it is over.
        func end(_ result: Result<HTTPResponse, any Error>) { self.result.end(result) }

        /// Whether the exchange is over.
        var isOver: Bool { result.isEnded }
    }
#endif
