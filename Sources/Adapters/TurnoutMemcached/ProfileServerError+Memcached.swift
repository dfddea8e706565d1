import TurnoutClient
import TurnoutSockets

// The meaning of errors of memcached and of connections to it.

extension ProfileServerError {
    init(_ code: Code, _ message: String, server: ProfileServerAddress? = nil, indicatesOutage: Bool = false) {
        self.init(
            store: "memcached", code, message, server: server?.description, breaksConnection: false,
            indicatesOutage: indicatesOutage)
    }

    /// Whether another server or connection may succeed.
    var isOfConnection: Bool { code == .unreachable || code == .deadlineExceeded || code == .unavailable }

    /// Whether the connection can still be used for the next request.
    var leavesConnectionUsable: Bool { code == .foreignValue || code == .anotherUser || code == .contended }

    /// Converts the error of a failed connection.
    init(_ error: StreamError, server: ProfileServerAddress) {
        switch error.kind {
        case .unreachable, .broken: self.init(.unreachable, error.message, server: server, indicatesOutage: true)
        case .unresponsive: self.init(.deadlineExceeded, error.message, server: server, indicatesOutage: true)
        case .timedOut: self.init(.deadlineExceeded, error.message, server: server)
        case .invalidResponse, .insecure: self.init(.invalidResponse, error.message, server: server)
        case .badOptions: self.init(.badOptions, error.message, server: server)
        }
    }

    init(_ refusal: ResponseParser.Refusal, server: ProfileServerAddress) {
        switch refusal {
        case .tooLarge: self.init(.tooLarge, "the profile is larger than the server stores", server: server)
        case .full: self.init(.full, "the server has no memory left for the profile", server: server)
        case .tooManyConnections:
            self.init(
                .unavailable,
                "the server accepts no more connections; raise its limit (-c) or lower maximumConnections",
                server: server, indicatesOutage: true)
        case .unauthenticated:
            self.init(.rejected, "the server requires a password, which this store does not send", server: server)
        case .other(let word): self.init(.rejected, "the server responded with \(word)", server: server)
        }
    }
}
