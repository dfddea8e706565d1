public import TurnoutClient

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
