#if Memcached
    import TurnoutClient

    /// Which servers are up, for all threads of a store.
    ///
    /// A server that fails is skipped: its users go to the next one on the ring. After a while one call tries it
    /// again, and only if it works do the others follow.
    final class ServerHealth: Sendable {
        let servers: [MemcachedServer]
        private let ring: ServerRing
        private let retryInterval: Duration
        private let log: any Log
        /// When a server may be tried again; nil: it is up.
        private let retries: Locked<[ContinuousClock.Instant?]>

        init(_ options: MemcachedOptions, log: any Log) {
            servers = options.servers
            ring = ServerRing(options.servers)
            retryInterval = options.retryInterval
            self.log = log
            retries = Locked(Array(repeating: nil, count: options.servers.count))
        }

        /// The server to ask for a key; nil: all are down. Whoever gets one that was down is the one who tries it.
        func server(of key: String) -> Int? {
            let now = ContinuousClock.now
            return retries.withLock { retries in
                let server = ring.server(of: key) { server in retries[server].map { $0 <= now } ?? true }
                if let server, retries[server] != nil { retries[server] = now + retryInterval }
                return server
            }
        }

        /// Notes that a server works.
        func worked(_ server: Int) {
            let wasDown = retries.withLock { retries in
                guard retries[server] != nil else { return false }
                retries[server] = nil
                return true
            }
            if wasDown { log(.info, "memcached \(servers[server]): is used again") }
        }

        /// Notes that a server does not work, and why.
        func failed(_ server: Int, _ error: MemcachedError) {
            let retry = ContinuousClock.now + retryInterval
            let wasUp = retries.withLock { retries in
                defer { retries[server] = retry }
                return retries[server] == nil
            }
            if wasUp { log(.warning, "\(error); it is skipped for now") }
        }
    }
#endif
