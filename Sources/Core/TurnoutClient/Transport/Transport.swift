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

/// The limits and requirements of a network adapter.
public struct TransportOptions: Sendable, Equatable {
    /// Whether plain `http` is accepted for every host. Others on the network can then read and change the data.
    /// Default: false; `http` is accepted only for this machine: `localhost`, `127.0.0.0/8` and `[::1]`.
    public var allowsInsecureHTTP: Bool

    /// The maximum size of a response body in bytes, after decompression. A larger response is aborted with
    /// ``TransportError/Code/tooLarge``. Default: 64 MiB.
    public var maximumResponseSize: Int

    /// The `User-Agent` header, unless a request has its own. Default: `turnout/` and the version.
    public var userAgent: String

    /// The path of a PEM file with the certificate authorities to trust instead of the system's, for servers with a
    /// certificate from a private authority. Only `CurlTransport` supports it; other transports use the system's
    /// certificate store, to which the authority must be added, and refuse to send with this option. Default: nil, the
    /// file that the environment variable `CURL_CA_BUNDLE` or `SSL_CERT_FILE` names, or else the system's.
    public var certificateAuthorityFile: String?

    /// Creates options. Without a `userAgent`, it is the default one.
    public init(
        allowsInsecureHTTP: Bool = false, maximumResponseSize: Int = 64 * 1_024 * 1_024,
        userAgent: String? = nil, certificateAuthorityFile: String? = nil
    ) {
        self.allowsInsecureHTTP = allowsInsecureHTTP
        self.maximumResponseSize = maximumResponseSize
        self.userAgent = userAgent ?? "turnout/\(LibraryVersion.current)"
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    /// These options for one request, which may lower the limit for its response.
    package func limited(by request: HTTPRequest) -> TransportOptions {
        var options = self
        options.maximumResponseSize = min(maximumResponseSize, max(0, request.maximumResponseSize ?? .max))
        return options
    }
}

extension HTTPRequest {
    /// Checks for problems that any transport rejects before sending. The address may still turn out to be invalid.
    ///
    /// - Throws: `TransportError` with the code `badAddress` or `deadlineExceeded`. Its message contains only the host
    ///   name of the request.
    package func check(_ options: TransportOptions) throws(TransportError) {
        guard deadline > .zero else {
            throw TransportError(.deadlineExceeded, "the request was not sent: its time limit is zero or less")
        }
        try checkAddress(options)
        try Self.checkHeader("User-Agent", options.userAgent)
        for (name, value) in headers { try Self.checkHeader(name, value) }
    }

    /// The headers to send: the transport sets the length and the encoding of the body.
    package var headersToSend: [String: String] {
        headers.filter { !["content-length", "transfer-encoding"].contains($0.key.lowercased()) }
    }

    private func checkAddress(_ options: TransportOptions) throws(TransportError) {
        guard url.utf8.allSatisfy(Self.isAddressByte), !authority.isEmpty, !authority.hasPrefix(":") else {
            throw .unreadableAddress
        }
        guard !authority.contains("@") else {
            throw TransportError(
                .badAddress, "the address contains a user name, which is not sent; use an Authorization header")
        }
        switch url.prefix(while: { $0 != ":" }).lowercased() {
        case "https": return
        case "http" where options.allowsInsecureHTTP || isLoopback: return
        case "http":
            throw TransportError(
                .badAddress,
                "http://\(authority) is refused because nothing would be encrypted; use https, or set "
                    + "allowsInsecureHTTP if this host may be reached without encryption")
        default: throw TransportError(.badAddress, "the address does not begin with https://")
        }
    }

    /// The host and the port, if any, as in the address: `cdn.example.com`, `127.0.0.1:8080`. Empty if there is no
    /// host.
    package var authority: Substring {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count > 1 ? parts[1].prefix { !"/?#".contains($0) } : ""
    }

    /// Whether the host is certainly this machine: `localhost`, `127.0.0.0/8` or `[::1]`.
    package var isLoopback: Bool {
        let authority = authority.lowercased()
        if authority.hasPrefix("[") { return authority == "[::1]" || authority.hasPrefix("[::1]:") }
        let host = authority.prefix { $0 != ":" }
        if host == "localhost" { return true }
        // Only four decimal numbers: some resolvers treat other spellings as names.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { number in
                number.utf8.allSatisfy { $0 &- 0x30 < 10 } && (UInt8(number).map { "\($0)" == number } ?? false)
            }
    }

    /// Whether the scheme is plain `http`.
    package var isPlainHTTP: Bool { url.lowercased().hasPrefix("http://") }

    private static func checkHeader(_ name: String, _ value: String) throws(TransportError) {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
            throw TransportError(
                .badAddress, "the name of a header is empty or contains a character that is not allowed there")
        }
        // A line break would end the header and start another one.
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw TransportError(
                .badAddress, "the value of a header contains a line break or another control character")
        }
    }

    /// Whether a byte is allowed in an address: RFC 3986, 2. Brackets are for hosts, and escapes begin with a `%`.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    /// Whether a byte is allowed in a header name: RFC 9110, 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension TransportError {
    package static let unreadableAddress = TransportError(
        .badAddress, "the address cannot be read, or names no host; an address looks like https://host/path")
}

extension SystemTimers {
    /// Prepares timers for a request of a URL session, which uses them.
    ///
    /// - Throws: ``TransportError`` if there are too few file descriptors.
    package static func prepareForRequest(to host: String) throws(TransportError) {
        guard prepare() else {
            throw TransportError(.unreachable, "the process has no file descriptors left for a request to \(host)")
        }
    }
}
