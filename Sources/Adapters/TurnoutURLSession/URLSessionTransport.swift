import Foundation
public import TurnoutClient
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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

/// A checked request in the form that the session needs.
struct PreparedRequest: Sendable {
    let urlRequest: URLRequest
    /// The host, for error messages.
    let host: String
    let deadline: Duration
    let maximumResponseSize: Int

    /// Checks a request.
    ///
    /// - Throws: `TransportError` with the code `badAddress` or `deadlineExceeded`.
    init(_ request: HTTPRequest, _ options: TransportOptions, isStream: Bool = false) throws(TransportError) {
        try request.check(options)
        guard options.certificateAuthorityFile == nil else {
            throw TransportError(
                .badAddress,
                "URLSessionTransport does not support certificateAuthorityFile; add the authority to the system's "
                    + "certificates, or use CurlTransport")
        }
        host = String(request.authority)
        deadline = min(request.deadline, Self.longestDeadline)
        maximumResponseSize = options.maximumResponseSize
        // Invalid characters are not encoded: that would change the address.
        guard let url = URL(string: request.url, encodingInvalidCharacters: false), url.host() != nil,
            (1...65_535).contains(url.port ?? 443)
        else { throw .unreadableAddress }
        var prepared = URLRequest(url: url)
        prepared.httpMethod = request.method.rawValue
        // The system's timeout limits the pause between two pieces. The deadline is shorter and takes precedence; a
        // stream may pause for longer.
        prepared.timeoutInterval = (isStream ? Self.longestDeadline : deadline) / .seconds(1) + 5
        if request.method == .post { prepared.httpBody = Data(request.body) }
        prepared.setValue(options.userAgent, forHTTPHeaderField: "User-Agent")
        for (name, value) in request.headersToSend { prepared.setValue(value, forHTTPHeaderField: name) }
        urlRequest = prepared
    }

    // Longer deadlines would overflow the system's counters.
    private static let longestDeadline = Duration.seconds(366 * 86_400)
}
