import TurnoutClient
import TurnoutSockets

/// The servers of a store. Each key is looked up on its server, or on the next one while that is down.
final class MemcachedServers: Sendable {
    private let options: MemcachedOptions
    private let health: ServerHealth
    private let pools: [ServerPool]

    init(_ options: MemcachedOptions, log: any Log) {
        self.options = options
        health = ServerHealth(options, log: log)
        pools = options.servers.map { ServerPool($0, options) }
    }

    private static let allDown = ProfileServerError(
        .unreachable, "all servers are down; each is tried again after the retry interval")

    /// Calls `body` with a connection to the server for a key, and tries others until the deadline.
    func perform<Result: Sendable>(
        on key: String, _ body: (MemcachedConnection, ContinuousClock.Instant) throws(ProfileServerError) -> Result
    ) throws(ProfileServerError) -> Result {
        let deadline = ContinuousClock.now.advanced(by: options.timeout)
        var last: ProfileServerError?
        while true {
            let start = ContinuousClock.now
            guard let server = health.server(of: key, at: start, until: deadline) else { throw last ?? Self.allDown }
            do throws(ProfileServerError) {
                let result = try pools[server].perform(until: deadline) { (connection) throws(ProfileServerError) in
                    try body(connection, deadline)
                }
                health.worked(server)
                return result
            } catch {
                note(error, of: server, begunAt: start)
                guard error.isOfConnection, ContinuousClock.now < deadline else { throw error }
                last = error
            }
        }
    }

    private func note(_ error: ProfileServerError, of server: Int, begunAt start: ContinuousClock.Instant) {
        if error.indicatesOutage {
            health.failed(server, error, begunAt: start)
        } else if !error.isOfConnection {
            health.worked(server)
        }
    }

    // MARK: Many keys

    /// One server's share of a lookup.
    private struct Share {
        let server: Int
        let keys: [String]
        let connection: MemcachedConnection
        let exchange: SocketExchange
        let response: ResponseParser
    }

    /// The values of distinct keys. All servers are queried in parallel.
    func values(of keys: [String]) throws(ProfileServerError) -> [String: StoredValue] {
        let deadline = ContinuousClock.now.advanced(by: options.timeout)
        var (missing, found) = (keys, [String: StoredValue]())
        var (last, repeated) = (nil as ProfileServerError?, Set<Int>())
        while !missing.isEmpty {
            let start = ContinuousClock.now
            var keysByServer: [Int: [String]] = [:]
            for key in missing {
                let server = health.server(of: key, at: start, until: deadline, asking: keysByServer.keys)
                guard let server else { throw last ?? Self.allDown }
                keysByServer[server, default: []].append(key)
            }
            let (shares, failures) = begin(keysByServer, until: deadline)
            SocketExchange.complete(shares.map(\.exchange), idleTimeout: options.responseTimeout, until: deadline)
            missing = []
            for (server, keys, error) in failures + end(shares, &found) {
                // As for a single key, a broken connection may have been an old one. A probe has none.
                let isRepeated =
                    error.code == .unreachable && !health.isDown(server) && repeated.insert(server).inserted
                if !isRepeated { note(error, of: server, begunAt: start) }
                guard error.isOfConnection, ContinuousClock.now < deadline else { throw error }
                missing += keys
                last = error
            }
        }
        return found
    }

    private typealias Failure = (server: Int, keys: [String], error: ProfileServerError)

    /// Takes a connection to each server, in the order of their numbers: otherwise two calls could wait for each
    /// other's connection until the deadline.
    private func begin(
        _ keysByServer: [Int: [String]], until deadline: ContinuousClock.Instant
    ) -> ([Share], [Failure]) {
        var (shares, failures) = ([Share](), [Failure]())
        for (server, keys) in keysByServer.sorted(by: { $0.key < $1.key }) {
            do throws(ProfileServerError) {
                let connection = try pools[server].take(until: deadline)
                let (exchange, response) = connection.lookUp(keys)
                shares.append(
                    Share(server: server, keys: keys, connection: connection, exchange: exchange, response: response))
            } catch { failures.append((server, keys, error)) }
        }
        return (shares, failures)
    }

    /// Gives all connections back, and collects the responses.
    private func end(_ shares: [Share], _ found: inout [String: StoredValue]) -> [Failure] {
        var failures: [Failure] = []
        for share in shares {
            if let error = share.connection.failure(of: share.exchange, share.response) {
                pools[share.server].drop(andIdle: error.isOfConnection)
                failures.append((share.server, share.keys, error))
            } else {
                pools[share.server].giveBack(share.connection)
                health.worked(share.server)
                found.merge(share.response.values) { $1 }
            }
        }
        return failures
    }
}

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
