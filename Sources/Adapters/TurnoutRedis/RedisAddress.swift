#if Redis
    /// Where a server listens.
    public enum RedisAddress: Sendable, Hashable, CustomStringConvertible {
        /// On a port of a host, which is a name or a number. The usual port is 6379.
        ///
        /// A name is looked up by the system each time a connection is made. Of several addresses, the first is taken.
        case host(String, port: Int = 6_379)
        /// On a socket in the file system.
        case unixSocket(path: String)

        /// `host:port`, or the path.
        public var description: String {
            switch self {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .unixSocket(let path): path
            }
        }

        /// Another port, maybe of another host, as servers of a cluster name each other.
        func replacing(host: String?, port: Int) -> RedisAddress {
            if let host { return .host(host, port: port) }
            guard case .host(let own, _) = self else { return .host("127.0.0.1", port: port) }
            return .host(own, port: port)
        }

        /// - Throws: ``RedisError`` if nobody can listen there.
        func check() throws(RedisError) {
            switch self {
            case .host(let host, let port):
                guard !host.isEmpty, !host.utf8.contains(0) else { throw RedisError(.badOptions, "no host is named") }
                guard 1...65_535 ~= port else { throw RedisError(.badOptions, "a port is from 1 to 65535") }
            case .unixSocket(let path):
                guard !path.isEmpty, !path.utf8.contains(0) else { throw RedisError(.badOptions, "no path is named") }
                // More does not fit where the system wants it; hiredis would cut it off.
                guard path.utf8.count <= 103 else {
                    throw RedisError(.badOptions, "the path of a socket has at most 103 bytes")
                }
            }
        }
    }
#endif
