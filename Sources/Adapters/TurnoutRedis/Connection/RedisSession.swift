import TurnoutClient

/// A connection in use by a call, and the call's deadline.
struct RedisSession {
    let connection: RedisConnection
    let deadline: ContinuousClock.Instant
    /// Whether to send `ASKING`, for keys of slots that are moving to the server.
    let isAsking: Bool

    /// Sends commands together. The replies may include errors. `isInTransaction`: whether `MULTI` was sent before.
    func replies(to commands: [RedisCommand], isInTransaction: Bool = false) throws(ProfileServerError) -> [Reply] {
        let request = RedisRequest(commands, isAsking: isAsking, isInTransaction: isInTransaction)
        return try request.own(connection.replies(to: request, until: deadline))
    }

    /// Sends commands together. Throws if one of them fails.
    func checkedReplies(to commands: [RedisCommand], isInTransaction: Bool = false) throws(ProfileServerError)
        -> [Reply]
    {
        let replies = try replies(to: commands, isInTransaction: isInTransaction)
        for (command, reply) in zip(commands, replies) { if let error = reply.error { throw error.of(command) } }
        return replies
    }
}
