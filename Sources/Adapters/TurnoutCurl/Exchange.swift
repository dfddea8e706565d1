#if Curl && os(Linux)
    import TurnoutClient

    /// One request on its way. Whatever comes first ends it: the whole answer, an error, the deadline, or the end of
    /// the task that waits.
    final class Exchange: Sendable {
        private enum State {
            case new
            case waiting(CheckedContinuation<HTTPResponse, any Error>)
            case over
        }

        let request: HTTPRequest
        let options: TransportOptions
        let deadline: ContinuousClock.Instant
        private let state = Locked(State.new)

        init(_ request: HTTPRequest, _ options: TransportOptions) {
            self.request = request
            self.options = options
            // More than that, and counters overflow.
            deadline = .now.advanced(by: min(request.deadline, .seconds(366 * 86_400)))
        }

        /// Names who waits. False: it is over already, and the waiting, too.
        func begin(_ continuation: CheckedContinuation<HTTPResponse, any Error>) -> Bool {
            let isNew = state.withLock { state in
                guard case .new = state else { return false }
                state = .waiting(continuation)
                return true
            }
            if !isNew { continuation.resume(throwing: CancellationError()) }
            return isNew
        }

        /// Ends it, unless it is over.
        func end(_ result: Result<HTTPResponse, any Error>) {
            let waiting: CheckedContinuation<HTTPResponse, any Error>? = state.withLock { state in
                defer { state = .over }
                guard case .waiting(let continuation) = state else { return nil }
                return continuation
            }
            waiting?.resume(with: result)
        }

        /// Whether nobody waits any more.
        var isOver: Bool { state.withLock { if case .over = $0 { true } else { false } } }
    }
#endif
