#if Curl && os(Linux)
    import TurnoutClient

    /// A pending request. It ends with the complete response, an error, the deadline, or the cancellation of the
    /// waiting task, whichever comes first. That of a stream continues after the head, until its body is no longer
    /// read.
    final class CurlExchange: Sendable {
        let request: HTTPRequest
        let options: TransportOptions
        /// Receives the body of a stream; nil if the response is collected.
        let body: BodyWriter?
        private let limit: ContinuousClock.Instant
        /// The response; that of a stream has no body.
        private let result = OneShot<Result<HTTPResponse, any Error>>()
        private let isBodyClosed = Locked(false)

        init(_ request: HTTPRequest, _ options: TransportOptions, body: BodyWriter? = nil) {
            self.request = request
            self.options = options
            self.body = body
            // Longer deadlines would overflow.
            limit = .now.advanced(by: min(request.deadline, .seconds(366 * 86_400)))
        }

        /// When the exchange has to be over, or nil once the head of a stream has arrived.
        var deadline: ContinuousClock.Instant? { body != nil && result.isEnded ? nil : limit }

        /// Whether the deadline has passed.
        func isOverdue(_ now: ContinuousClock.Instant) -> Bool { deadline.map { $0 <= now } ?? false }

        /// The error at the deadline.
        var deadlineError: TransportError {
            TransportError(
                .deadlineExceeded, "no complete response from \(request.authority) within \(request.deadline.logText)")
        }

        /// Waits for the response, or for the head of a stream.
        func response() async throws -> HTTPResponse {
            guard let result = await result.value() else { throw CancellationError() }
            return try result.get()
        }

        /// Ends the exchange, unless it is over.
        func end(_ result: Result<HTTPResponse, any Error>) {
            let isFirst = self.result.end(result)
            guard let body else { return }
            isBodyClosed.withLock { $0 = true }
            switch result {
            case .failure(let error) where !isFirst: body.end(throwing: error)
            default: body.end()
            }
        }

        /// Whether the exchange is over.
        var isOver: Bool { body == nil ? result.isEnded : isBodyClosed.withLock { $0 } }

        // MARK: Streams

        /// The head of a stream has arrived.
        func received(head: HTTPResponse) { result.end(.success(head)) }

        /// A piece of the body of a stream has arrived. Returns false if the exchange is over.
        func received(_ piece: [UInt8], in body: BodyWriter) -> Bool {
            do throws(TransportError) { return try body.add(piece, from: request.authority) } catch {
                end(.failure(error))
                return false
            }
        }
    }
#endif
