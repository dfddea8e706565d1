#if Curl && os(Linux)
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
#endif
