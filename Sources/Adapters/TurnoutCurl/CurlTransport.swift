#if Curl && os(Linux)
    public import TurnoutClient

    /// Sends requests with the system's libcurl.
    ///
    /// ```swift
    /// configuration.transport = .curl
    /// ```
    ///
    /// The transport for servers: it needs no Foundation, which takes longer to load than a client to start, and one
    /// thread, beside those that libcurl has for the lookup of hosts. All transports of a process share that thread,
    /// made with the first request, and its connections, which stay open and are used again; HTTP/2 is spoken where the
    /// server does. libcurl itself is loaded with the first request, too, so a program that decides by its cached
    /// datafile does not wait for that. Where there is none, `libcurl.so.4` or the one with GnuTLS, requests fail and
    /// say so; so they do in a program without dynamic loading, which needs the package's trait `Curl` switched off.
    ///
    /// Nothing is kept: no cookies, no cache, no credentials. A redirect is not followed, it is the answer; so a key in
    /// a header does not travel to where nobody meant it to go. The usual variables of the environment, such as
    /// `https_proxy`, name a proxy.
    ///
    /// Only `https` addresses are accepted, unless `TransportOptions.allowsInsecureHTTP` says otherwise; others end in
    /// `TransportError.Code.badAddress`, and so do headers with line breaks and addresses with a user name.
    /// `Content-Length` and `Transfer-Encoding` are up to the transport; it leaves those of a request out.
    ///
    /// An answer that breaks off is an error, never a short answer.
    public struct CurlTransport: Transport {
        private let options: TransportOptions

        /// Creates a transport. That costs nothing: the thread is made with the first request.
        public init(_ options: TransportOptions = TransportOptions()) { self.options = options }

        /// Sends a request and waits for the answer, whatever its status is.
        ///
        /// The request's deadline is for all of it: waiting for a connection, sending, and the last byte of the answer.
        ///
        /// - Throws: `TransportError` if there is no complete answer, `CancellationError` if the task was cancelled.
        ///   The texts hold nothing of the request.
        public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try request.check(options)
            try Task.checkCancellation()
            let exchange = Exchange(request, options)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard exchange.begin(continuation) else { return }
                    Worker.shared.add(exchange)
                }
            } onCancel: {
                exchange.end(.failure(CancellationError()))
                Worker.shared.wake()
            }
        }
    }

    extension Transport where Self == CurlTransport {
        /// The system's libcurl, for `https` addresses.
        public static var curl: CurlTransport { CurlTransport() }

        /// The system's libcurl.
        public static func curl(_ options: TransportOptions) -> CurlTransport { CurlTransport(options) }
    }
#endif
