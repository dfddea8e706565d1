public import TurnoutClient

/// Sends requests with Foundation's URL session.
///
/// ```swift
/// configuration.transport = .urlSession
/// ```
///
/// All transports of a process share one session, created by the first request: connections stay open and are reused.
/// The session stores nothing: no cookies, no cache, no credentials. A redirect is returned as the response, not
/// followed, so a key in a header cannot reach another host.
///
/// Only `https` addresses are accepted, and `http` for loopback addresses, unless `TransportOptions.allowsInsecureHTTP`
/// is set. Other addresses, addresses with a user name, and headers with line breaks fail with
/// `TransportError.Code.badAddress`. Certificates are checked against the system's authorities only. The transport sets
/// `Content-Length` and `Transfer-Encoding` itself, and ignores those of a request.
///
/// A truncated response is an error.
public struct URLSessionTransport: StreamingTransport {
    /// The options of the transport.
    public typealias Options = TransportOptions

    private let options: Options

    /// Creates a transport. The first request creates the session.
    public init(_ options: Options = Options()) { self.options = options }

    /// Sends a request and returns the response, whatever its status.
    ///
    /// The request's deadline includes waiting for a connection, sending, and receiving the last byte.
    ///
    /// - Throws: `TransportError` if there is no complete response, `CancellationError` if the task was canceled.
    ///   Error messages contain only the host of the request.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await response(to: request)
    }

    /// Sends a request and returns the head of the response, whatever its status; the body follows.
    ///
    /// The request's deadline includes waiting for a connection, sending, and receiving the head.
    ///
    /// - Throws: `TransportError` if there is no response, `CancellationError` if the task was canceled. Error messages
    ///   contain only the host of the request.
    public func stream(_ request: HTTPRequest) async throws -> StreamedResponse {
        let (body, writer) = BodyWriter.body()
        let head = try await response(to: request, body: writer)
        return StreamedResponse(status: head.status, headers: head.headers, body: body)
    }

    private func response(to request: HTTPRequest, body: BodyWriter? = nil) async throws -> HTTPResponse {
        let prepared = try PreparedRequest(request, options.limited(by: request), isStream: body != nil)
        try Task.checkCancellation()
        try SystemTimers.prepareForRequest(to: prepared.host)
        let exchange = SessionExchange(prepared, body: body)
        body?.onStop { exchange.end(.failure(CancellationError())) }
        return try await withTaskCancellationHandler {
            try await exchange.response()
        } onCancel: {
            exchange.end(.failure(CancellationError()))
        }
    }
}

extension Transport where Self == URLSessionTransport {
    /// A transport that uses Foundation's URL session, for `https` addresses.
    public static var urlSession: URLSessionTransport { URLSessionTransport() }

    /// A transport that uses Foundation's URL session, with options.
    public static func urlSession(_ options: URLSessionTransport.Options) -> URLSessionTransport {
        URLSessionTransport(options)
    }
}
