#if Memcached
    import TurnoutClient

    /// Which servers are up, for all calls of a store.
    ///
    /// A server that fails is skipped: its users go to the next one on the ring. After a while one call tries it
    /// again, and only if it works do the others follow. The pauses do not grow: an outage costs a call every few
    /// seconds, and users should not stay elsewhere longer than they must.
    final class ServerHealth: Sendable {
        let servers: [MemcachedAddress]
        private let ring: ServerRing
        private let log: any Log
        private let gates: Locked<[OutageGate]>

        init(_ options: MemcachedOptions, log: any Log) {
            servers = options.servers
            ring = ServerRing(options.servers)
            self.log = log
            let pause = options.retryInterval
            let gate = OutageGate(Backoff(first: pause, longest: pause, random: .system))
            gates = Locked(Array(repeating: gate, count: options.servers.count))
        }

        /// The server to ask for a key; nil: all are down. Whoever gets one that was down is the one who tries it, and
        /// has time for that until `end`. Whom they are asking already they go on asking.
        func server(
            of key: String, until end: ContinuousClock.Instant, asking asked: some Collection<Int> = EmptyCollection()
        ) -> Int? {
            let now = ContinuousClock.now
            return gates.withLock { gates in
                let server = ring.server(of: key) { asked.contains($0) || gates[$0].isOpen(at: now) }
                if let server, !asked.contains(server) { _ = gates[server].admits(at: now, until: end) }
                return server
            }
        }

        /// Notes that a server works.
        func worked(_ server: Int) {
            let wasDown = gates.withLock { $0[server].worked() }
            if wasDown { log(.info, "memcached \(servers[server]): is used again") }
        }

        /// Notes that a server does not work, and why.
        func failed(_ server: Int, _ error: MemcachedError, begunAt start: ContinuousClock.Instant) {
            let wasUp = gates.withLock { $0[server].failed(at: .now, begunAt: start) }
            if wasUp { log(.warning, "\(error); it is skipped for now") }
        }
    }
#endif
