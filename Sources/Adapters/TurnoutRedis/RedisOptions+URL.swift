#if Redis
    extension RedisOptions {
        /// Reads options from an address:
        ///
        /// - `redis://user:password@host:6379/2` for a server; all but the host may be left out, `2` is the database;
        /// - `redis+unix:///run/redis.sock` for a socket in the file system, with `user:password@` before its path;
        /// - `redis-cluster://host:7000,host:7001` for some servers of a cluster.
        ///
        /// After a question mark may follow, joined by `&`: `prefix=…`, `layout=hash` or `layout=agent`, `ttl=…` (whole
        /// seconds), `timeout=…` and `connect-timeout=…` (milliseconds), `connections=…`, and `db=…` for a socket.
        /// Characters that mean something in addresses are written as `%` and two digits.
        ///
        /// - Throws: ``RedisError`` if something is wrong; it says what, but repeats nothing that might be a secret.
        public init(_ url: String) throws(RedisError) {
            guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")), url[colon...].hasPrefix("://") else {
                throw RedisError(.badAddress, "the address does not begin with redis://")
            }
            let parts = url[url.index(colon, offsetBy: 3)...].split(
                separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            // A password may contain an @ by mistake; the host cannot.
            let place = parts[0]
            let at = place.lastIndex(of: "@")
            let host = at.map { place[place.index(after: $0)...] } ?? place
            switch url[..<colon] {
            case "redis": try self.init(server: host)
            case "redis+unix": self.init(.one(.unixSocket(path: try Self.decoded(host))))
            case "redis-cluster":
                var addresses: [RedisAddress] = []
                for name in host.split(separator: ",", omittingEmptySubsequences: false) {
                    addresses.append(try Self.address(name))
                }
                self.init(.cluster(addresses))
            case "rediss":
                throw RedisError(.badAddress, "there is no TLS; use a tunnel such as stunnel, and its socket here")
            default: throw RedisError(.badAddress, "the address begins with none of redis, redis+unix, redis-cluster")
            }
            if let at { try setUser(place[..<at]) }
            if parts.count > 1 { try setParameters(parts[1]) }
            self = try checked()
        }

        private init(server text: Substring) throws(RedisError) {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            self.init(.one(try Self.address(parts[0])))
            if parts.count > 1, !parts[1].isEmpty {
                database = try Self.number(parts[1], "the database after the host")
            }
        }

        private static func address(_ text: Substring) throws(RedisError) -> RedisAddress {
            var (host, port) = (text, Substring("6379"))
            if text.hasPrefix("[") {
                guard let close = text.firstIndex(of: "]") else {
                    throw RedisError(.badAddress, "a bracket before the host is not closed")
                }
                host = text[text.index(after: text.startIndex)..<close]
                let rest = text[text.index(after: close)...]
                guard rest.isEmpty || rest.hasPrefix(":") else {
                    throw RedisError(.badAddress, "a port follows a colon")
                }
                if !rest.isEmpty { port = rest.dropFirst() }
            } else if let colon = text.lastIndex(of: ":") {
                (host, port) = (text[..<colon], text[text.index(after: colon)...])
            }
            guard !host.contains("/") else { throw RedisError(.badAddress, "a cluster has no database but number 0") }
            return .host(try decoded(host), port: try number(port, "the port"))
        }

        private mutating func setUser(_ text: Substring) throws(RedisError) {
            guard let colon = text.firstIndex(of: ":") else {
                throw RedisError(.badAddress, "a user name needs a password: user:password@, or :password@ for no name")
            }
            let name = try Self.decoded(text[..<colon])
            username = name.isEmpty ? nil : name
            password = try Self.decoded(text[text.index(after: colon)...])
        }

        private mutating func setParameters(_ text: Substring) throws(RedisError) {
            for parameter in text.split(separator: "&") {
                let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count > 1 ? parts[1] : ""
                switch parts[0] {
                case "prefix": prefix = try Self.decoded(value)
                case "layout" where value == "hash": layout = .hash
                case "layout" where value == "agent": layout = .agent
                case "layout": throw RedisError(.badAddress, "a layout is hash or agent")
                case "ttl": timeToLive = .seconds(try Self.number(value, "ttl"))
                case "timeout": timeout = .milliseconds(try Self.number(value, "timeout"))
                case "connect-timeout": connectTimeout = .milliseconds(try Self.number(value, "connect-timeout"))
                case "connections": maximumConnections = try Self.number(value, "connections")
                case "db": database = try Self.number(value, "db")
                default: throw RedisError(.badAddress, "the address has a parameter of an unknown name")
                }
            }
        }

        private static func number(_ text: Substring, _ what: String) throws(RedisError) -> Int {
            guard let number = Int(text), 0...Int(Int32.max) ~= number else {
                throw RedisError(.badAddress, "\(what) is not a number from 0 to \(Int32.max)")
            }
            return number
        }

        /// A text without its percent signs.
        private static func decoded(_ text: Substring) throws(RedisError) -> String {
            var bytes: [UInt8] = []
            var rest = text.utf8[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%") else {
                    bytes.append(byte)
                    continue
                }
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else {
                    throw RedisError(.badAddress, "two hexadecimal digits follow a percent sign")
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw RedisError(.badAddress, "what the percent signs stand for is not UTF-8")
            }
            return text
        }
    }
#endif
