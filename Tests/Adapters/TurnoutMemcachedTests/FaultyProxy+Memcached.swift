#if Memcached
    import TestSupport
    import TurnoutMemcached

    extension FaultyProxy {
        /// Starts a proxy in front of a memcached.
        convenience init(to upstream: MemcachedServer) throws {
            guard case .tcp(_, let port) = upstream else { throw MemcachedProcess.Failure() }
            try self.init(to: port)
        }

        /// Where it listens.
        var server: MemcachedServer { .tcp(host: "127.0.0.1", port: port) }
    }
#endif
