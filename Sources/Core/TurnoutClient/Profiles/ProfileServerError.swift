/// An error of a profile store on a server, such as Redis, Cassandra or memcached, or of the connection to it. Contains
/// neither user ids nor stored data.
public struct ProfileServerError: PrintableError, Sendable, Equatable {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Equatable {
        private enum Kind {
            case badOptions, unreachable, deadlineExceeded, unavailable, refused, full, tooLarge, foreignValue
            case anotherUser, contended, rejected, invalidResponse, untrusted
        }
        private let kind: Kind

        /// The options, or the address they were read from, cannot be used.
        public static let badOptions = Code(kind: .badOptions)
        /// No server could be reached, or the connection broke.
        public static let unreachable = Code(kind: .unreachable)
        /// There was no complete response in time. A write may have been stored or not.
        public static let deadlineExceeded = Code(kind: .deadlineExceeded)
        /// The server responds, but cannot serve for now: it is loading its data, has too many clients, its cluster is
        /// incomplete, or all connections that the store may open are in use.
        public static let unavailable = Code(kind: .unavailable)
        /// The user name or password is wrong, or permissions are missing.
        public static let refused = Code(kind: .refused)
        /// The server has no memory left, and may not remove anything.
        public static let full = Code(kind: .full)
        /// The profile is larger than the server stores; the stored profile is unchanged.
        public static let tooLarge = Code(kind: .tooLarge)
        /// The value stored for a user is not a profile. It is not changed.
        public static let foreignValue = Code(kind: .foreignValue)
        /// The value stored under the user's key is the profile of another user. It is not changed.
        public static let anotherUser = Code(kind: .anotherUser)
        /// Other clients changed the profile between every lookup and every write.
        public static let contended = Code(kind: .contended)
        /// The server responded with another error.
        public static let rejected = Code(kind: .rejected)
        /// The response does not conform to the server's protocol.
        public static let invalidResponse = Code(kind: .invalidResponse)
        /// The connection cannot be encrypted: a certificate is not accepted, or the port does not speak TLS.
        public static let untrusted = Code(kind: .untrusted)
    }

    /// The store, such as `Redis`.
    public let store: String
    /// The kind of failure.
    public let code: Code
    /// A description of the failure, in English.
    public let message: String
    /// The server, as `host:port` or a path; nil if the error concerns no server or several.
    public let server: String?
    /// The server's reply, if the store needs it to continue, as for a redirection. Never logged.
    package let reply: String?
    /// Whether the connection cannot be used again: the next command could receive this one's reply.
    package let breaksConnection: Bool
    /// Whether the server is probably down, so that other calls should skip it for a while.
    package let indicatesOutage: Bool

    /// Whether the call fails however often it is repeated, and those for other users do not.
    package var concernsUser: Bool { [.foreignValue, .anotherUser, .tooLarge].contains(code) }

    package init(
        store: String, _ code: Code, _ message: String, server: String?, reply: String? = nil,
        breaksConnection: Bool, indicatesOutage: Bool
    ) {
        self.store = store
        self.code = code
        self.message = message
        self.server = server
        self.reply = reply
        self.breaksConnection = breaksConnection
        self.indicatesOutage = indicatesOutage
    }

    /// The error of a call that is skipped for a while after this one.
    package var skipping: ProfileServerError {
        ProfileServerError(
            store: store, code == .deadlineExceeded ? .unreachable : code,
            "skipped for a while after a failure: \(message)", server: nil, breaksConnection: false,
            indicatesOutage: false)
    }

    /// The store, the server and the message.
    public var description: String { store + (server.map { " " + $0 } ?? "") + ": " + message }
}

/// The address of a server that stores profiles.
public enum ProfileServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A port of a host, which is a name or an IP address. nil: the standard port of the store, 6379 for Redis and
    /// 11211 for memcached.
    ///
    /// The name is resolved for each new connection. Of several IP addresses the first that responds is used.
    case host(String, port: Int? = nil)
    /// A socket in the file system.
    case unixSocket(path: String)

    /// `host:port`, with an IPv6 address in brackets, or the path.
    public var description: String { place.description }

    package var place: ServerAddress.Place {
        switch self {
        case .host(let host, let port): ServerAddress.Place(host: host, port: port)
        case .unixSocket(let path): ServerAddress.Place(socket: path)
        }
    }

    /// Checks the address, and adds the standard port where there is none.
    ///
    /// - Throws: `AddressError` if no server can have this address.
    package func resolved(standardPort: Int) throws(AddressError) -> ProfileServerAddress {
        try place.check()
        guard case .host(let host, nil) = self else { return self }
        return .host(host, port: standardPort)
    }
}
