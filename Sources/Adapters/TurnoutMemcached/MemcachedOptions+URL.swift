public import TurnoutClient

extension MemcachedOptions {
    private static let parameters = [
        "prefix", "ttl", "timeout", "connect-timeout", "connections", "response-timeout", "retry",
    ]

    /// Reads options from a URL such as `memcached://cache1:11211,cache2?prefix=shop:&ttl=30d`.
    ///
    /// Servers are separated by commas: `host`, `host:port`, `[IPv6]:port`, or the path of a Unix socket, as in
    /// `memcached:///run/memcached.sock`.
    ///
    /// Optional parameters follow a question mark, joined by `&`: `prefix`, `ttl`, `timeout`, `connect-timeout`,
    /// `connections`, `response-timeout` and `retry`. Times are whole numbers with a unit: `ms`, `s`, `m`, `h` or `d`;
    /// without one they are seconds. Delimiters within values are percent-encoded, such as `%2C`.
    ///
    /// - Throws: `ProfileServerError` that names the invalid part. It does not quote the URL, which may contain a
    ///   password by mistake.
    public init(url: String) throws(ProfileServerError) {
        do throws(AddressError) { try self.init(ServerAddress(url, schemes: ["memcached"])) } catch {
            throw ProfileServerError(.badOptions, error.message)
        }
        self = try checked()
    }

    private init(_ address: ServerAddress) throws(AddressError) {
        guard address.user == nil, address.password == nil else {
            throw AddressError("there is a user or a password, which this store does not send to memcached")
        }
        var servers: [ProfileServerAddress] = []
        for place in address.places {
            switch (place.host, place.path) {
            case (let host?, ""): servers.append(.host(host, port: place.port))
            case (nil, let path): servers.append(.unixSocket(path: path))
            default: throw AddressError("there is a path after the name of host \(servers.count + 1)")
            }
        }
        self.init(servers: servers)
        for parameter in address.parameters { try set(parameter) }
    }

    private mutating func set(_ parameter: AddressParameter) throws(AddressError) {
        switch parameter.name {
        case "prefix": prefix = try parameter.text()
        case "ttl": timeToLive = try parameter.duration()
        case "timeout": timeout = try parameter.duration()
        case "connect-timeout": connectTimeout = try parameter.duration()
        case "connections": maximumConnections = try parameter.number(in: 1...1_000)
        case "response-timeout": responseTimeout = try parameter.duration()
        case "retry": retryInterval = try parameter.duration()
        default: throw AddressParameter.unknown(expected: Self.parameters)
        }
    }
}
