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
