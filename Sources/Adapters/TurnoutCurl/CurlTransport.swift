#if Curl && os(Linux)
    import Dispatch
    import LibC
    public import TurnoutClient

    /// Sends requests with the system's libcurl.
    ///
    /// ```swift
    /// configuration.transport = .curl
    /// ```
    ///
    /// The transport for servers. It does not need Foundation, which takes longer to load than a client takes to start,
    /// and uses one thread besides libcurl's threads for host name resolution. All transports of a process share that
    /// thread, started by the first request, and its connections, which stay open and are reused; HTTP/2 is used where
    /// the server supports it. libcurl is also loaded by the first request, so a program with a cached datafile starts
    /// without it. Requests fail if neither `libcurl.so.4` nor its GnuTLS variant is installed, and in programs without
    /// dynamic loading, which must disable the package's trait `Curl`.
    ///
    /// Nothing is stored: no cookies, no cache, no credentials. A redirect is returned as the response, not followed,
    /// so a key in a header cannot reach another host. The usual environment variables, such as `https_proxy`, name a
    /// proxy. `CURL_CA_BUNDLE` or `SSL_CERT_FILE` names a file of certificate authorities to trust instead of the
    /// system's, as `TransportOptions.certificateAuthorityFile` does.
    ///
    /// Only `https` addresses are accepted, and `http` for loopback addresses, unless
    /// `TransportOptions.allowsInsecureHTTP` is set. Other addresses, addresses with a user name, and headers with line
    /// breaks fail with `TransportError.Code.badAddress`. The transport sets `Content-Length` and `Transfer-Encoding`
    /// itself, and ignores those of a request.
    ///
    /// A truncated response is an error.
    public struct CurlTransport: StreamingTransport {
        private let options: TransportOptions

        /// Creates a transport. The first request starts the thread.
        public init(_ options: TransportOptions = TransportOptions()) { self.options = options }

        /// Sends a request and returns the response, whatever its status.
        ///
        /// The request's deadline includes waiting for a connection, sending, and receiving the last byte.
        ///
        /// - Throws: `TransportError` if there is no complete response, `CancellationError` if the task was canceled.
        ///   Error messages contain only the host of the request.
        public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try await response(to: request)
        }

        /// Sends a request and returns the head of the response, whatever its status; the body follows. It is not
        /// decompressed: servers are asked not to compress it.
        ///
        /// The request's deadline includes waiting for a connection, sending, and receiving the head.
        ///
        /// - Throws: `TransportError` if there is no response, `CancellationError` if the task was canceled. Error
        ///   messages contain only the host of the request.
        public func stream(_ request: HTTPRequest) async throws -> StreamedResponse {
            let (body, writer) = BodyWriter.body()
            let head = try await response(to: request, body: writer)
            return StreamedResponse(status: head.status, headers: head.headers, body: body)
        }

        private func response(to request: HTTPRequest, body: BodyWriter? = nil) async throws -> HTTPResponse {
            try request.check(options)
            try Task.checkCancellation()
            let exchange = CurlExchange(request, options.limited(by: request), body: body)
            body?.onStop {
                exchange.end(.failure(CancellationError()))
                Worker.shared.wake()
            }
            return try await withTaskCancellationHandler {
                if !exchange.isOver { Worker.shared.add(exchange) }
                return try await exchange.response()
            } onCancel: {
                exchange.end(.failure(CancellationError()))
                Worker.shared.wake()
            }
        }
    }

    extension Transport where Self == CurlTransport {
        /// A transport that uses the system's libcurl, for `https` addresses.
        public static var curl: CurlTransport { CurlTransport() }

        /// A transport that uses the system's libcurl, with options.
        public static func curl(_ options: TransportOptions) -> CurlTransport { CurlTransport(options) }
    }

    /// The thread that all requests share. It waits when idle, and lives as long as the process, like the connections.
    final class Worker: Sendable {
        private struct State {
            var new: [CurlExchange] = []
            var isRunning = false
            var waker: Transfers.Waker?
            var isEnding = false
        }

        /// One per process, because libcurl has to be stopped before libraries are cleaned up at exit: using them
        /// afterwards is undefined.
        static let shared: Worker = {
            _ = atexit { Worker.shared.stopAtExit() }
            return Worker()
        }()

        private let state = Locked(State())
        /// Signaled when the thread has stopped because the process ends.
        private let didStop = DispatchSemaphore(value: 0)
        // A serial queue keeps one thread, and gets it as soon as the system has one.
        private let thread = DispatchQueue(label: "turnout.curl")

        private init() {}

        func add(_ exchange: CurlExchange) {
            let isRunning = state.withLock { state in
                state.new.append(exchange)
                defer { state.isRunning = true }
                return state.isRunning
            }
            if isRunning { wake() } else { thread.async { self.run() } }
        }

        /// Wakes the thread to start new requests and remove canceled ones.
        func wake() { state.withLock { $0.waker }?.wake() }

        private func run() {
            guard !state.withLock({ $0.isEnding }) else { return parkUntilExit(nil) }
            do {
                let transfers = try Transfers()
                while let new = take(for: transfers) {
                    for exchange in new { transfers.start(exchange) }
                    transfers.work()
                }
                parkUntilExit(transfers)
            } catch {
                // The next request tries again.
                let new = state.withLock { state in
                    defer { (state.new, state.isRunning) = ([], false) }
                    return state.new
                }
                for exchange in new { exchange.end(.failure(error)) }
            }
        }

        /// The new requests, or nil if the process ends.
        private func take(for transfers: Transfers) -> [CurlExchange]? {
            state.withLock { state in
                defer { state.new = [] }
                state.waker = transfers.waker
                return state.isEnding ? nil : state.new
            }
        }

        // MARK: The end of the process

        /// Waits until the thread has stopped, at most for a second.
        private func stopAtExit() {
            let (isRunning, waker) = state.withLock { state in
                state.isEnding = true
                return (state.isRunning, state.waker)
            }
            guard isRunning else { return }
            waker?.wake()
            _ = didStop.wait(timeout: .now() + 1)
        }

        /// Stops the thread without freeing pending transfers.
        private func parkUntilExit(_ transfers: Transfers?) {
            didStop.signal()
            withExtendedLifetime(transfers) { DispatchSemaphore(value: 0).wait() }
        }
    }
#endif
