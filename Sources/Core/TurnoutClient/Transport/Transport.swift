/// Sends requests over a network.
///
/// The client contains no networking itself; adapters provide it. A transport enforces the request's total deadline,
/// does not follow redirects, and throws only if there was no response; a response of any status is returned.
///
/// Called from any task, for several requests at a time: for datafiles, events, predictions and segments. It must not
/// block the thread of its task. Callers retry failed requests, so a transport makes one attempt. It sends method,
/// headers and body unchanged, and may add headers such as `Host`.
///
/// A transport can wrap another one:
///
/// ```swift
/// /// Adds the header that the company's proxy requires.
/// struct ProxiedTransport: Transport {
///     let base: any Transport
///
///     func send(_ request: HTTPRequest) async throws -> HTTPResponse {
///         var request = request
///         request.headers["X-Proxy-Client"] = "shop"
///         return try await base.send(request)
///     }
/// }
/// ```
///
/// ``MemoryTransport`` is a transport for tests. `checkTransport` of `TurnoutTestKit` checks what a transport has to
/// guarantee.
public protocol Transport: Sendable {
    /// Sends a request and waits for the response.
    ///
    /// - Throws: `TransportError` if there is none, `CancellationError` if the task was canceled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// A request that a client sends.
public struct HTTPRequest: Sendable, Equatable {
    /// The HTTP method.
    public enum Method: String, Sendable {
        /// Reads the resource.
        case get = "GET"
        /// Sends data to the resource.
        case post = "POST"
    }

    /// The HTTP method.
    public var method: Method
    /// The address.
    public var url: String
    /// Names and values of headers. Names are case-insensitive.
    public var headers: [String: String]
    /// The body; empty for a `GET`.
    public var body: [UInt8]
    /// The time limit for the complete response. Default: 10 seconds.
    public var deadline: Duration
    /// The maximum size of the response in bytes, if that is less than the transport's own limit. A larger response is
    /// aborted with ``TransportError/Code/tooLarge``. Default: nil, only the transport's limit applies.
    public var maximumResponseSize: Int?

    /// Creates a request.
    public init(
        _ method: Method, _ url: String, headers: [String: String] = [:], body: [UInt8] = [],
        deadline: Duration = .seconds(10)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
    }
}

/// The response to a request.
public struct HTTPResponse: Sendable, Equatable {
    /// The status code, such as 200.
    public var status: Int
    /// Names and values of headers; names in lower case.
    public var headers: [String: String]
    /// The content.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { $1 }
        self.body = body
    }

    /// Whether the status is 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why there was no response to a request.
public struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Equatable {
        private enum Kind { case unreachable, deadline, badAddress, tooLarge }
        private let kind: Kind

        /// The connection failed or broke.
        public static let unreachable = Code(kind: .unreachable)
        /// The response was not complete within the request's deadline.
        public static let deadlineExceeded = Code(kind: .deadline)
        /// The address is invalid.
        public static let badAddress = Code(kind: .badAddress)
        /// The response is larger than the transport accepts.
        public static let tooLarge = Code(kind: .tooLarge)
    }

    /// The kind of failure.
    public let code: Code
    /// A description without personal data: of the request, it contains at most the host name.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension TransportError: PrintableError {}
