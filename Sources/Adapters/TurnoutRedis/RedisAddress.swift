#if Redis
    import TurnoutClient

    /// Where a server listens.
    public enum RedisAddress: Sendable, Hashable, CustomStringConvertible {
        /// On a port of a host, which is a name or a number. The usual port is 6379.
        ///
        /// A name is looked up by the system each time a connection is made. Of several addresses, the first is taken.
        case host(String, port: Int = 6_379)
        /// On a socket in the file system.
        case unixSocket(path: String)

        /// `host:port`, or the path.
        public var description: String { place.description }

        private var place: ServerAddress.Place {
            switch self {
            case .host(let host, let port): ServerAddress.Place(host: host, port: port)
            case .unixSocket(let path): ServerAddress.Place(socket: path)
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
            do throws(AddressError) { try place.check() } catch { throw RedisError(.badOptions, error.message) }
        }
    }
#endif
