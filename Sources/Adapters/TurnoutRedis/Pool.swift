import TurnoutClient
import TurnoutSockets

/// The connections to one server: a bounded number, opened on demand and reused while they work.
final class Pool: Sendable {
    /// A connection for exclusive use until ``end(_:_:)``.
    struct Lease {
        let connection: RedisConnection
        /// Whether it was opened by an earlier call, and may have ended since.
        let wasIdle: Bool
        let begunAt: ContinuousClock.Instant
    }

    private struct State {
        /// Admits a probe after 50 ms · 2ⁿ, at most after some seconds.
        var breaker = CircuitBreaker(Backoff(first: .milliseconds(50), longest: .seconds(5), random: .system))
        /// The last failure of the server or the network.
        var failure: ProfileServerError?
    }

    /// Connections idle for longer are checked before use: devices on the network drop idle ones.
    private static let longestSilence = Duration.seconds(30)

    let address: ProfileServerAddress
    private let options: RedisOptions
    private let tls: TLSContext?
    private let state = Locked(State())
    private let slots: ConnectionSlots<RedisConnection>
    private let lookup: HostLookup

    /// Creates a pool. It connects on demand.
    init(_ address: ProfileServerAddress, _ options: RedisOptions, _ tls: TLSContext?) {
        self.address = address
        self.options = options
        self.tls = tls
        slots = ConnectionSlots(limit: options.maximumConnections)
        lookup = HostLookup(limit: options.maximumConnections)
    }

    /// Calls `body` with a connection, and once more with a new one if an idle connection had ended.
    ///
    /// - Throws: The errors of `body`, or `ProfileServerError` if there is no connection in time or the server is
    ///   being skipped.
    func perform<Result: Sendable>(
        until deadline: ContinuousClock.Instant, isAsking: Bool = false,
        _ body: (RedisSession) throws(ProfileServerError) -> Result
    ) throws(ProfileServerError) -> Result {
        var isNew = false
        while true {
            let lease = try lease(until: deadline, isNew: isNew)
            do throws(ProfileServerError) {
                let session = RedisSession(connection: lease.connection, deadline: deadline, isAsking: isAsking)
                let result = try body(session)
                end(lease, nil)
                return result
            } catch {
                // The server may have closed an idle connection. All requests are idempotent, so this one is
                // repeated on a new connection. After a timeout there is no time for that.
                guard lease.wasIdle, error.breaksConnection, error.code != .deadlineExceeded else {
                    end(lease, error)
                    throw error.at(address)
                }
                endOld(lease)
                isNew = true
            }
        }
    }

    /// The replies to commands, none of which is an error.
    func replies(to commands: [RedisCommand], until deadline: ContinuousClock.Instant) throws(ProfileServerError)
        -> [Reply]
    {
        try perform(until: deadline) { (session) throws(ProfileServerError) in
            try session.checkedReplies(to: commands)
        }
    }

    /// Calls `body` with the server's keys that match a pattern, in parts. Each part has its own deadline.
    ///
    /// - Complexity: O(n), where n is the number of all keys.
    func forEachPart(
        ofKeys pattern: String, timeout: Duration, _ body: ([Reply]) throws(ProfileServerError) -> Void
    ) throws(ProfileServerError) {
        var cursor = "0"
        repeat {
            let scan = RedisCommand("SCAN", cursor, "MATCH", pattern, "COUNT", "1000")
            let reply = try replies(to: [scan], until: .now.advanced(by: timeout))[0]
            guard let page = reply.elements, page.count == 2, let next = page[0].text, let keys = page[1].elements
            else { throw .invalidResponse }
            try body(keys)
            cursor = next
        } while cursor != "0"
    }

    func lease(until deadline: ContinuousClock.Instant, isNew: Bool = false) throws(ProfileServerError) -> Lease {
        do throws(ProfileServerError) {
            if let failure = state.withLock({ $0.breaker.wouldAdmit(at: .now) ? nil : $0.failure }) {
                throw failure.skipping
            }
            guard slots.acquire(until: deadline) else {
                let count = options.maximumConnections
                throw ProfileServerError(
                    .deadlineExceeded, "all \(count) connections were in use until the deadline")
            }
            do throws(ProfileServerError) { return try take(until: deadline, isNew) } catch {
                slots.release()
                throw error
            }
        } catch { throw error.at(address) }
    }

    private func take(until deadline: ContinuousClock.Instant, _ isNew: Bool) throws(ProfileServerError) -> Lease {
        let start = ContinuousClock.now
        // The server may have failed while this call waited.
        let failure = state.withLock { $0.breaker.admits(at: start, until: deadline) ? nil : $0.failure }
        if let failure { throw failure.skipping }
        if !isNew, let idle = idle(until: deadline) {
            return Lease(connection: idle, wasIdle: true, begunAt: start)
        }
        do throws(ProfileServerError) {
            return Lease(connection: try open(until: deadline), wasIdle: false, begunAt: start)
        } catch {
            note(error, begunAt: start)
            throw error
        }
    }

    /// Gives a connection back, or closes it if an error made it unusable.
    func end(_ lease: Lease, _ error: ProfileServerError?) {
        if let error, error.breaksConnection {
            note(error, begunAt: lease.begunAt)
        } else {
            slots.keep(lease.connection)
            state.withLock { _ = $0.breaker.worked() }
        }
        slots.release()
    }

    /// Closes an idle connection that had ended, and all other idle ones.
    func endOld(_ lease: Lease) {
        slots.closeIdle()
        slots.release()
    }

    private func note(_ error: ProfileServerError, begunAt start: ContinuousClock.Instant) {
        guard error.indicatesOutage else { return }
        slots.closeIdle()
        state.withLock { state in
            state.failure = error
            state.breaker.failed(at: .now, begunAt: start)
        }
    }

    private func idle(until deadline: ContinuousClock.Instant) -> RedisConnection? {
        guard let (connection, unusedFor) = slots.takeIdle(), !connection.hasUnexpectedInput else { return nil }
        guard unusedFor >= Self.longestSilence else { return connection }
        let limit = min(deadline, ContinuousClock.now.advanced(by: options.connectTimeout))
        let session = RedisSession(connection: connection, deadline: limit, isAsking: false)
        return (try? session.replies(to: [RedisCommand("PING")])) == [.text("PONG")] ? connection : nil
    }

    private func open(until deadline: ContinuousClock.Instant) throws(ProfileServerError) -> RedisConnection {
        let limit = min(deadline, ContinuousClock.now.advanced(by: options.connectTimeout))
        let connection = try RedisConnection.open(to: address, lookup, tls, until: limit)
        try connection.handshake(options, until: limit)
        return connection
    }
}

/// Many commands for one server.
struct ManyCommands {
    let pool: Pool
    let commands: [RedisCommand]
    /// Whether to send `ASKING`, for keys of slots that are moving to the server.
    let isAsking: Bool

    fileprivate func failing(_ error: ProfileServerError) -> [Result<Reply, ProfileServerError>] {
        Array(repeating: .failure(error.at(pool.address)), count: commands.count)
    }
}

extension Pool {
    /// Commands that were sent to one server.
    private struct Sent {
        let index: Int
        let lease: Lease
        let requests: [RedisRequest]
        let exchange: SocketExchange
        let reader: ReplyReader
    }

    /// Sends idempotent commands to several servers in parallel.
    ///
    /// - Returns: For each server, the reply or error for each command.
    static func outcomes(
        of all: [ManyCommands], until deadline: ContinuousClock.Instant
    ) -> [[Result<Reply, ProfileServerError>]] {
        var outcomes = all.map { many -> [Result<Reply, ProfileServerError>]? in many.commands.isEmpty ? [] : nil }
        // Twice, because idle connections may have ended.
        for isLast in [false, true] {
            let open = all.indices.filter { outcomes[$0] == nil }
            var sent: [Sent] = []
            // In a fixed order: otherwise two calls could wait for each other's connection until the deadline.
            for index in open.sorted(by: { all[$0].pool.address.description < all[$1].pool.address.description }) {
                do throws(ProfileServerError) { sent.append(try begin(all[index], index, until: deadline)) } catch {
                    outcomes[index] = all[index].failing(error)
                }
            }
            SocketExchange.complete(sent.map(\.exchange), until: deadline)
            for one in sent { outcomes[one.index] = end(one, all[one.index], isLast: isLast) }
        }
        return outcomes.map { $0 ?? [] }
    }

    private static func begin(
        _ many: ManyCommands, _ index: Int, until deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> Sent {
        let requests = many.commands.batches(of: batchSize).map { RedisRequest($0, isAsking: many.isAsking) }
        let lease = try many.pool.lease(until: deadline)
        let (exchange, reader) = lease.connection.begin(requests)
        return Sent(index: index, lease: lease, requests: requests, exchange: exchange, reader: reader)
    }

    /// Gives the connection back. Returns nil if the commands have to be sent again.
    private static func end(_ sent: Sent, _ many: ManyCommands, isLast: Bool) -> [Result<
        Reply, ProfileServerError
    >]? {
        if let error = sent.lease.connection.failure(of: sent.exchange, sent.reader) {
            if sent.lease.wasIdle, !isLast, error.code != .deadlineExceeded {
                many.pool.endOld(sent.lease)
                return nil
            }
            many.pool.end(sent.lease, error)
            return many.failing(error)
        }
        many.pool.end(sent.lease, nil)
        var rest = sent.reader.replies[...]
        return zip(sent.requests, many.commands.batches(of: batchSize)).flatMap {
            request, commands -> [Result<Reply, ProfileServerError>] in
            let replies = rest.prefix(request.replyCount)
            rest = rest.dropFirst(request.replyCount)
            do throws(ProfileServerError) {
                return zip(commands, try request.own(replies)).map {
                    command, reply -> Result<Reply, ProfileServerError> in
                    guard let error = reply.error else { return .success(reply) }
                    return .failure(error.of(command).at(many.pool.address))
                }
            } catch { return commands.map { _ in .failure(error.at(many.pool.address)) } }
        }
    }
}
