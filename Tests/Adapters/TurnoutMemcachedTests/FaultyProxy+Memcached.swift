#if Memcached
    import TestSupport
    import TurnoutMemcached

    extension FaultyProxy {
        /// Starts a proxy in front of a memcached.
        convenience init(to upstream: MemcachedAddress) throws {
            guard case .host(_, let port) = upstream else { throw MemcachedProcess.Failure() }
            try self.init(to: port)
        }

        /// Where it listens.
        var server: MemcachedAddress { .host("127.0.0.1", port: port) }
    }
#endif
