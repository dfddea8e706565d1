public import TurnoutClient

/// The servers that store assignments, the layout, and the time limits.
///
/// ```swift
/// var options = try RedisOptions(url: "redis://turnout:secret@10.0.0.7:6379/2?prefix=shop:")
/// options.timeToLive = .seconds(90 * 86_400)
/// let store = try RedisProfileStore(options)
/// ```
///
/// Descriptions of options, such as by `print` or `dump`, omit the password.
public struct RedisOptions: Sendable, Equatable {
    /// The servers that keep the assignments.
    public enum Servers: Sendable, Equatable {
        /// One server.
        case one(ProfileServerAddress)
        /// A cluster, given by some of its servers; those report the others.
        case cluster([ProfileServerAddress])
    }

    /// How a user's assignments are stored in Redis.
    public enum Layout: Sendable, Equatable {
        /// A hash for each user: the field is the experiment's id, the value the variation's.
        case hash
        /// A JSON object for each user, `{"<id>":{"variation_id":"<id>"}}`, as Optimizely's Agent stores it
        /// under the user's id. For fleets that use both.
        case agent
    }

    /// How connections are encrypted, with TLS 1.2 or newer. The server must show a certificate for its name.
    ///
    /// All files are in the PEM format. They are read once, when the store is created.
    public struct TLS: Sendable, Equatable {
        /// A file with the certificates of trusted authorities; nil for the authorities that the system trusts.
        /// Default: nil.
        public var authorities: String?
        /// A file with a client certificate for servers that require one, and its intermediate certificates.
        /// Default: nil.
        public var certificate: String?
        /// The file with the key of ``certificate``, without a passphrase. Default: nil.
        public var key: String?
        /// The name that the server's certificate must contain; nil for the host, which may be an IP address.
        /// Servers of a cluster refer to each other by address, which their certificates often do not contain.
        /// Default: nil.
        public var serverName: String?

        /// Creates options with the system's authorities and no client certificate.
        public init() {}
    }

    /// The servers that keep the assignments.
    public var servers: Servers
    /// The encryption of connections; nil for none. Needs OpenSSL 3 or 1.1.1, which is loaded when the store is
    /// created. Default: nil.
    public var tls: TLS?
    /// A user of the server's access control list; nil for the default user. Default: nil.
    ///
    /// It needs `hgetall`, `hset`, `del` and `scan`, or in Agent's layout `get`, `set`, `watch`, `multi`, `exec`,
    /// `del` and `scan`; with ``timeToLive`` a hash needs `multi`, `exec` and `pexpire`, too. If one is not
    /// permitted, the error names it (`ProfileServerError.Code.refused`), and nothing is stored. A
    /// ``database`` other than 0 needs `select`, and a cluster `cluster|slots` and `asking`; `ping` avoids new
    /// connections.
    public var username: String?
    /// The password, if the server requires one. Default: nil.
    public var password: String?
    /// The number of the database; clusters have only number 0. Default: 0.
    public var database = 0
    /// How a user's assignments are stored. Default: as a hash.
    public var layout = Layout.hash
    /// The prefix of keys, before the user's id; nil for `turnout:`, or none in Agent's layout. Default: nil.
    public var prefix: String?
    /// How long assignments are kept after the last new one; nil until they are removed. Default: nil.
    ///
    /// Rounded to milliseconds, at least one. If it is nil, an existing time to live of a hash stays, and an
    /// addition neither removes nor extends it; in Agent's layout an addition removes it.
    public var timeToLive: Duration?
    /// The time limit for a whole call, however many users and servers it involves. Default: 1 second.
    ///
    /// For ``RedisProfileStore/count`` it applies to each request for about a thousand keys.
    public var timeout: Duration = .seconds(1)
    /// The time limit for opening a connection, including host name resolution. With TLS that takes several round
    /// trips. Default: 250 milliseconds.
    public var connectTimeout: Duration = .milliseconds(250)
    /// The most connections to one server; further calls wait until one is free. Default: 8.
    public var maximumConnections = 8

    /// The standard options; change what you need.
    public init(servers: Servers) { self.servers = servers }

    var keyPrefix: String { prefix ?? (layout == .hash ? "turnout:" : "") }

    /// The time to live in whole milliseconds, as a command argument.
    var millisecondsToLive: String? {
        timeToLive.map { String(Int64(max(1, min($0, .seconds(3_000_000_000)) / .milliseconds(1)))) }
    }

    /// The options with every duration and number limited to its valid range.
    ///
    /// - Throws: `ProfileServerError` if they contradict each other.
    func checked() throws(ProfileServerError) -> RedisOptions {
        var options = self
        switch servers {
        case .one(let address): options.servers = .one(try Self.resolved(address))
        case .cluster(let addresses):
            guard !addresses.isEmpty else {
                throw ProfileServerError(.badOptions, "no server of the cluster is named")
            }
            guard database == 0 else {
                throw ProfileServerError(.badOptions, "a cluster has only database number 0")
            }
            var resolved: [ProfileServerAddress] = []
            for address in addresses { resolved.append(try Self.resolved(address)) }
            options.servers = .cluster(resolved)
        }
        guard database >= 0 else { throw ProfileServerError(.badOptions, "the number of a database is at least 0") }
        guard username == nil || password != nil else {
            throw ProfileServerError(.badOptions, "a user name needs a password")
        }
        try tls?.check(servers)
        for limit in [\Self.timeout, \.connectTimeout] {
            options[keyPath: limit] = min(max(.milliseconds(1), self[keyPath: limit]), .seconds(86_400))
        }
        options.maximumConnections = max(1, min(1_000, maximumConnections))
        return options
    }

    private static func resolved(
        _ address: ProfileServerAddress
    ) throws(ProfileServerError) -> ProfileServerAddress {
        do throws(AddressError) { return try address.resolved(standardPort: 6_379) } catch {
            throw ProfileServerError(.badOptions, error.message)
        }
    }
}

extension RedisOptions.TLS {
    fileprivate func check(_ servers: RedisOptions.Servers) throws(ProfileServerError) {
        guard (certificate == nil) == (key == nil) else {
            throw ProfileServerError(.badOptions, "TLS: a certificate needs its key, and a key its certificate")
        }
        for text in [authorities, certificate, key, serverName] where text?.utf8.contains(0) == true {
            throw ProfileServerError(.badOptions, "TLS: the name of a file or of the server contains a zero byte")
        }
        if case .one(.unixSocket) = servers, serverName == nil {
            throw ProfileServerError(.badOptions, "TLS over a Unix socket needs a serverName for the certificate")
        }
    }
}

extension RedisOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The servers, the database and the layout, without the password.
    public var description: String {
        let names =
            switch servers {
            case .one(let address): "\(address)"
            case .cluster(let addresses): "cluster \(addresses.map(\.description).joined(separator: ", "))"
            }
        let encryption = tls == nil ? "" : " with TLS"
        return "Redis at \(names)\(encryption), database \(database), layout \(layout), "
            + "prefix \(keyPrefix.debugDescription)"
    }

    /// The description.
    public var debugDescription: String { description }

    /// A mirror with only the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RedisOptions {
    private static let (one, socket, cluster) = ("redis", "redis+unix", "redis-cluster")
    private static let (encryptedOne, encryptedCluster) = ("rediss", "rediss-cluster")
    private static let parameters = [
        "prefix", "ttl", "timeout", "connect-timeout", "connections", "layout", "db", "ca", "cert", "key",
        "server-name",
    ]

    /// Reads options from a URL:
    ///
    /// - `redis://user:password@host:6379/2` for a server; everything but the host is optional, `2` is the
    ///   database;
    /// - `redis+unix:///run/redis.sock` for a Unix socket, with an optional `user:password@` before its path;
    /// - `redis-cluster://host:7000,host:7001` for some servers of a cluster;
    /// - `rediss://` and `rediss-cluster://` for the same with TLS.
    ///
    /// Optional parameters follow a question mark, joined by `&`: `prefix`, `ttl`, `timeout`, `connect-timeout`,
    /// `connections`, `layout` (`hash` or `agent`), `db` for a socket, and with TLS the files `ca`, `cert` and
    /// `key` and the `server-name`; see ``TLS``. Times are whole numbers with a unit: `ms`, `s`, `m`, `h` or `d`;
    /// without one they are seconds. Delimiters within values are percent-encoded, such as `%2C`.
    ///
    /// - Throws: `ProfileServerError` that names the invalid part. It does not quote the URL, which may contain a
    ///   password by mistake.
    public init(url: String) throws(ProfileServerError) {
        do throws(AddressError) {
            try self.init(
                ServerAddress(
                    url,
                    schemes: [Self.one, Self.encryptedOne, Self.socket, Self.cluster, Self.encryptedCluster]))
        } catch {
            throw ProfileServerError(.badOptions, error.message)
        }
        self = try checked()
    }

    private init(_ address: ServerAddress) throws(AddressError) {
        self.init(servers: try Self.servers(address))
        if [Self.encryptedOne, Self.encryptedCluster].contains(address.scheme) { tls = TLS() }
        if [Self.one, Self.encryptedOne].contains(address.scheme), let path = address.places.first?.path,
            path.count > 1
        {
            guard let number = path.dropFirst().wholeNumber else {
                throw AddressError("the database after the host is not a number")
            }
            database = number
        }
        username = address.user
        password = address.password
        for parameter in address.parameters { try set(parameter) }
    }

    private static func servers(_ address: ServerAddress) throws(AddressError) -> Servers {
        if [cluster, encryptedCluster].contains(address.scheme) {
            var addresses: [ProfileServerAddress] = []
            for place in address.places {
                guard place.path.isEmpty else { throw AddressError("a cluster has only database number 0") }
                addresses.append(.host(place.host ?? "", port: place.port))
            }
            return .cluster(addresses)
        }
        let place = address.places[0]
        guard address.places.count == 1 else {
            throw AddressError("several servers need redis-cluster://")
        }
        switch (address.scheme, place.host) {
        case (socket, nil): return .one(.unixSocket(path: place.path))
        case (socket, _?): throw AddressError("the path must begin with a slash")
        case (_, let host?): return .one(.host(host, port: place.port))
        case (_, nil): throw AddressError("a path needs redis+unix://")
        }
    }

    private mutating func set(_ parameter: AddressParameter) throws(AddressError) {
        switch parameter.name {
        case "prefix": prefix = try parameter.text()
        case "ttl": timeToLive = try parameter.duration()
        case "timeout": timeout = try parameter.duration()
        case "connect-timeout": connectTimeout = try parameter.duration()
        case "connections": maximumConnections = try parameter.number(in: 1...1_000)
        case "layout":
            switch try parameter.text() {
            case "hash": layout = .hash
            case "agent": layout = .agent
            default: throw AddressError("layout is hash or agent")
            }
        case "db": database = try parameter.number(in: 0...Int(Int32.max))
        case "ca", "cert", "key", "server-name":
            guard tls != nil else { throw AddressError("\(parameter.name) needs rediss:// or rediss-cluster://") }
            let text = try parameter.text()
            switch parameter.name {
            case "ca": tls?.authorities = text
            case "cert": tls?.certificate = text
            case "key": tls?.key = text
            default: tls?.serverName = text
            }
        default: throw AddressParameter.unknown(expected: Self.parameters)
        }
    }
}
