#if Memcached
    /// Where a server listens.
    public enum MemcachedAddress: Sendable, Hashable, CustomStringConvertible {
        /// On a port of a host, which is a name or a number. The usual port is 11211.
        case host(String, port: Int = 11_211)
        /// On a socket in the file system.
        case unixSocket(path: String)

        /// `host:port`, an IPv6 address in brackets, or the path. Users are spread by this text: clients that spell a
        /// server differently look for users in different places.
        public var description: String {
            switch self {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .unixSocket(let path): path
            }
        }

        /// - Throws: ``MemcachedError`` if nobody can listen there.
        func check() throws(MemcachedError) {
            switch self {
            case .host(let host, let port):
                guard !host.isEmpty, !host.utf8.contains(0) else {
                    throw MemcachedError(.badOptions, "no host is named")
                }
                guard 1...65_535 ~= port else { throw MemcachedError(.badOptions, "a port is from 1 to 65535") }
            case .unixSocket(let path):
                guard !path.isEmpty, !path.utf8.contains(0) else {
                    throw MemcachedError(.badOptions, "no path is named")
                }
                // More does not fit where the system wants it.
                guard path.utf8.count <= 103 else {
                    throw MemcachedError(.badOptions, "the path of a socket has at most 103 bytes")
                }
            }
        }
    }
#endif
