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
