public import TurnoutClient

/// Sends requests with Foundation's URL session.
///
/// ```swift
/// configuration.transport = .urlSession
/// ```
///
/// All transports of a process share one session, made with the first request: connections stay open and are used
/// again. The session keeps nothing: no cookies, no cache, no credentials. A redirect is not followed, it is the
/// answer; so a key in a header does not travel to where nobody meant it to go.
///
/// Only `https` addresses are accepted, unless `TransportOptions.allowsInsecureHTTP` says otherwise; others end in
/// `TransportError.Code.badAddress`, and so do headers with line breaks and addresses with a user name.
/// `Content-Length` and `Transfer-Encoding` are up to the transport; it leaves those of a request out.
///
/// An answer that breaks off is an error, never a short answer.
public struct URLSessionTransport: Transport {
    /// What a transport does and does not accept.
    public typealias Options = TransportOptions

    private let options: Options

    /// Creates a transport. That costs nothing: the session is made with the first request.
    public init(_ options: Options = Options()) { self.options = options }

    /// Sends a request and waits for the answer, whatever its status is.
    ///
    /// The request's deadline is for all of it: waiting for a connection, sending, and the last byte of the answer.
    ///
    /// - Throws: `TransportError` if there is no complete answer, `CancellationError` if the task was cancelled. The
    ///   texts hold nothing of the request.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let prepared = try PreparedRequest(request, options)
        try Task.checkCancellation()
        let exchange = Exchange(prepared)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { exchange.begin($0) }
        } onCancel: {
            exchange.end(.failure(CancellationError()))
        }
    }
}

extension Transport where Self == URLSessionTransport {
    /// Foundation's URL session, for `https` addresses.
    public static var urlSession: URLSessionTransport { URLSessionTransport() }

    /// Foundation's URL session.
    public static func urlSession(_ options: URLSessionTransport.Options) -> URLSessionTransport {
        URLSessionTransport(options)
    }
}
