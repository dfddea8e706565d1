import TurnoutClient
import TurnoutSockets

/// The state of each server, shared by all calls of a store.
///
/// A server that fails is skipped: its users move to the next one on the ring. After a pause one call tries it again,
/// and only if that succeeds do the others use it. The pauses do not grow: an outage costs one call every few seconds,
/// and users should return as soon as possible.
final class ServerHealth: Sendable {
    let servers: [ProfileServerAddress]
    private let ring: ServerRing
    private let log: any Log
    private let pause: Duration
    private let breakers: Locked<[CircuitBreaker]>

    init(_ options: MemcachedOptions, log: any Log) {
        servers = options.servers
        ring = ServerRing(options.servers)
        self.log = log
        pause = options.retryInterval
        let breaker = CircuitBreaker(Backoff(first: pause, longest: pause, random: .system))
        breakers = Locked(Array(repeating: breaker, count: options.servers.count))
    }

    /// The server for a key, for a call that begins now; nil if all are down. A caller that gets a server that was down
    /// probes it, and has until `end` to do so. `asked` contains servers that the caller already uses.
    func server(
        of key: String, at now: ContinuousClock.Instant, until end: ContinuousClock.Instant,
        asking asked: some Collection<Int> = EmptyCollection()
    ) -> Int? {
        breakers.withLock { breakers in
            let server = ring.server(of: key) { asked.contains($0) || breakers[$0].wouldAdmit(at: now) }
            if let server, !asked.contains(server) { _ = breakers[server].admits(at: now, until: end) }
            return server
        }
    }

    /// Whether a call to a server failed, and none has succeeded since.
    func isDown(_ server: Int) -> Bool { breakers.withLock { $0[server].isOutage } }

    /// Records that a server works.
    func worked(_ server: Int) {
        let wasDown = breakers.withLock { $0[server].worked() }
        if wasDown { log(.info, "memcached \(servers[server]): responds again and is used again") }
    }

    /// Records the failure of a server.
    func failed(_ server: Int, _ error: ProfileServerError, begunAt start: ContinuousClock.Instant) {
        let wasUp = breakers.withLock { $0[server].failed(at: .now, begunAt: start) }
        guard wasUp else { return }
        let consequence =
            servers.count == 1
            ? "assignments are neither looked up nor stored" : "its users are kept by the next server"
        log(.warning, "\(error); \(consequence), and it is tried again in about \(pause.roundedLogText)")
    }
}
