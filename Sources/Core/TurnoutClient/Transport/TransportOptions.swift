/// What an adapter of a network does and does not accept.
public struct TransportOptions: Sendable, Equatable {
    /// Whether `http` addresses are accepted, where everybody on the way can read and change what is sent. That is for
    /// tests and for services on the same machine. Default: false.
    public var allowsInsecureHTTP: Bool

    /// The largest body of an answer, in bytes, after decompression. A larger one ends in
    /// ``TransportError/Code/tooLarge`` while it arrives. Default: 64 MiB.
    public var maximumResponseSize: Int

    /// What the transport calls itself in the `User-Agent` header, unless a request has one of its own. Default:
    /// `turnout/` and the version.
    public var userAgent: String

    /// Creates options.
    public init(
        allowsInsecureHTTP: Bool = false, maximumResponseSize: Int = 64 * 1_024 * 1_024,
        userAgent: String = "turnout/0.1.0"
    ) {
        self.allowsInsecureHTTP = allowsInsecureHTTP
        self.maximumResponseSize = maximumResponseSize
        self.userAgent = userAgent
    }
}
