import TurnoutClient
import TurnoutSockets

/// Many commands for one server.
struct ManyCommands {
    let pool: Pool
    let commands: [RedisCommand]
    /// Whether to send `ASKING`, for keys of slots that are moving to the server.
    let isAsking: Bool

    init(_ pool: Pool, _ commands: [RedisCommand], isAsking: Bool) {
        self.pool = pool
        self.commands = commands
        self.isAsking = isAsking
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

extension ManyCommands {
    fileprivate func failing(_ error: ProfileServerError) -> [Result<Reply, ProfileServerError>] {
        Array(repeating: .failure(error.at(pool.address)), count: commands.count)
    }
}
