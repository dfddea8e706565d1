#if Redis
    import TurnoutClient

    extension RedisOptions {
        private static let (one, socket, cluster) = ("redis", "redis+unix", "redis-cluster")
        private static let parameters = [
            "prefix", "ttl", "timeout", "connect-timeout", "connections", "layout", "db",
        ]

        /// Reads options from an address:
        ///
        /// - `redis://user:password@host:6379/2` for a server; all but the host may be left out, `2` is the database;
        /// - `redis+unix:///run/redis.sock` for a socket in the file system, with `user:password@` before its path;
        /// - `redis-cluster://host:7000,host:7001` for some servers of a cluster.
        ///
        /// After a question mark may follow, joined by `&`: `prefix`, `ttl`, `timeout`, `connect-timeout`,
        /// `connections`, `layout` (`hash` or `agent`), and `db` for a socket. Times are whole numbers with a unit:
        /// `ms`, `s`, `m`, `h` or `d`; without one they are seconds. `%2C` and the like stand for characters that would
        /// end something.
        ///
        /// - Throws: ``RedisError`` that names the part which cannot be read. It repeats nothing of the address, since
        ///   there may be a password anywhere by mistake.
        public init(url: String) throws(RedisError) {
            guard !url.hasPrefix("rediss://") else {
                throw RedisError(.badOptions, "there is no TLS; use a tunnel such as stunnel, and its socket here")
            }
            do throws(AddressError) {
                try self.init(ServerAddress(url, schemes: [Self.one, Self.socket, Self.cluster]))
            } catch {
                throw RedisError(.badOptions, error.message)
            }
            self = try checked()
        }

        private init(_ address: ServerAddress) throws(AddressError) {
            self.init(servers: try Self.servers(address))
            if address.scheme == Self.one, let path = address.places.first?.path, path.count > 1 {
                guard let number = path.dropFirst().wholeNumber else {
                    throw AddressError("the database after the host is no number")
                }
                database = number
            }
            username = address.user
            password = address.password
            for parameter in address.parameters { try set(parameter) }
        }

        private static func servers(_ address: ServerAddress) throws(AddressError) -> Servers {
            if address.scheme == cluster {
                var addresses: [RedisAddress] = []
                for place in address.places {
                    guard place.path.isEmpty else { throw AddressError("a cluster has no database but number 0") }
                    addresses.append(.host(place.host ?? "", port: place.port ?? 6_379))
                }
                return .cluster(addresses)
            }
            let place = address.places[0]
            guard address.places.count == 1 else {
                throw AddressError("there are several servers, which is for redis-cluster://")
            }
            switch (address.scheme, place.host) {
            case (one, let host?): return .one(.host(host, port: place.port ?? 6_379))
            case (one, nil): throw AddressError("there is a path, which is for redis+unix://")
            case (_, nil): return .one(.unixSocket(path: place.path))
            default: throw AddressError("there is no path that begins with a slash")
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
            default: throw AddressParameter.unknown(expected: Self.parameters)
            }
        }
    }
#endif
