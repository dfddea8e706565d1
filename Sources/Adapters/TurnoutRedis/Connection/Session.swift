#if Redis
    /// A connection for as long as something is done on it, and the time there is for that.
    struct Session {
        let connection: Connection
        let deadline: ContinuousClock.Instant
        /// Whether the server is to serve keys of slots that are still on their way to it.
        let isAsking: Bool

        /// Sends commands together. Replies that are errors are among the replies. `isInTransaction`: whether `MULTI`
        /// was sent before.
        func replies(to commands: [Command], isInTransaction: Bool = false) throws(RedisError) -> [Reply] {
            var request: [UInt8] = []
            request.reserveCapacity(commands.count * 128)
            var isInTransaction = isInTransaction
            var isAsked: [Bool] = []
            for command in commands {
                // Holds for the next command, or for a transaction as a whole.
                if isAsking, !isInTransaction {
                    Command.asking.encode(into: &request)
                    isAsked.append(true)
                }
                if command.arguments.first == "MULTI" { isInTransaction = true }
                if command.arguments.first == "EXEC" { isInTransaction = false }
                command.encode(into: &request)
                if isAsking { isAsked.append(false) }
            }
            let count = isAsking ? isAsked.count : commands.count
            let replies = try connection.exchange(request, replyCount: count, until: deadline)
            guard isAsking else { return replies }
            for (reply, isAsked) in zip(replies, isAsked) where isAsked {
                if let error = reply.error { throw error.of(.asking) }
            }
            return zip(replies, isAsked).filter { !$1 }.map(\.0)
        }

        /// Sends commands together, none of which may fail.
        func answers(to commands: [Command], isInTransaction: Bool = false) throws(RedisError) -> [Reply] {
            let replies = try replies(to: commands, isInTransaction: isInTransaction)
            for (command, reply) in zip(commands, replies) { if let error = reply.error { throw error.of(command) } }
            return replies
        }
    }
#endif
