/// Sends requests over a network.
///
/// The client knows no network itself: an adapter brings one. A transport keeps to the request's deadline in total,
/// does not follow redirects, and throws only if there was no answer; an answer of any status is an answer.
public protocol Transport: Sendable {
    /// Sends a request and waits for the answer.
    ///
    /// - Throws: `TransportError` if there is none, `CancellationError` if the task was cancelled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// A request that a client sends.
public struct HTTPRequest: Sendable, Equatable {
    /// What to do with the resource.
    public enum Method: String, Sendable {
        /// Read it.
        case get = "GET"
        /// Hand something in.
        case post = "POST"
    }

    /// What to do with the resource.
    public var method: Method
    /// The address.
    public var url: String
    /// Names and values of headers. Names are compared without regard to case.
    public var headers: [String: String]
    /// What is handed in; empty for a `GET`.
    public var body: [UInt8]
    /// The longest time until the answer is complete. Default: 10 seconds.
    public var deadline: Duration

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

/// The answer to a request.
public struct HTTPResponse: Sendable, Equatable {
    /// The status code, such as 200.
    public var status: Int
    /// Names and values of headers; names in lower case.
    public var headers: [String: String]
    /// The content.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { $1 }
        self.body = body
    }

    /// Whether the request did what it should: a status of 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why there was no answer to a request.
public struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Equatable {
        private enum Kind { case unreachable, deadline, badAddress, tooLarge }
        private let kind: Kind

        /// No connection, or it broke.
        public static let unreachable = Code(kind: .unreachable)
        /// The answer was not complete within the request's deadline.
        public static let deadlineExceeded = Code(kind: .deadline)
        /// The address cannot be used.
        public static let badAddress = Code(kind: .badAddress)
        /// The answer is larger than the transport accepts.
        public static let tooLarge = Code(kind: .tooLarge)
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, without anything personal.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
