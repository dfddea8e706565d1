#if Memcached
    import TurnoutClient

    /// Where a server listens.
    public enum MemcachedAddress: Sendable, Hashable, CustomStringConvertible {
        /// On a port of a host, which is a name or a number. The usual port is 11211.
        case host(String, port: Int = 11_211)
        /// On a socket in the file system.
        case unixSocket(path: String)

        /// `host:port`, an IPv6 address in brackets, or the path. Users are spread by this text: clients that spell a
        /// server differently look for users in different places.
        public var description: String { place.description }

        private var place: ServerAddress.Place {
            switch self {
            case .host(let host, let port): ServerAddress.Place(host: host, port: port)
            case .unixSocket(let path): ServerAddress.Place(socket: path)
            }
        }

        /// - Throws: ``MemcachedError`` if nobody can listen there.
        func check() throws(MemcachedError) {
            do throws(AddressError) { try place.check() } catch { throw MemcachedError(.badOptions, error.message) }
        }
    }
#endif
