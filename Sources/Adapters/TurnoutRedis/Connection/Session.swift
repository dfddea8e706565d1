#if Redis
    /// A connection for as long as something is done on it, and the time there is for that.
    struct Session {
        let connection: Connection
        let deadline: ContinuousClock.Instant
        /// Whether the server is to serve keys of slots that are still on their way to it.
        let isAsking: Bool

        /// Sends commands together. Replies that are errors are among the replies.
        func replies(to commands: [Command]) throws(RedisError) -> [Reply] {
            var request: [UInt8] = []
            request.reserveCapacity(commands.count * 128)
            var isAsked = [Bool]()
            var isInTransaction = false
            for command in commands {
                // Holds for the next command, or for a transaction as a whole.
                if isAsking, !isInTransaction {
                    Self.asking.encode(into: &request)
                    isAsked.append(true)
                }
                if command.arguments.first == "MULTI" { isInTransaction = true }
                if command.arguments.first == "EXEC" { isInTransaction = false }
                command.encode(into: &request)
                if isAsking { isAsked.append(false) }
            }
            let count = isAsking ? isAsked.count : commands.count
            let replies = try connection.exchange(request, replyCount: count, until: deadline)
            return isAsking ? zip(replies, isAsked).filter { !$1 }.map(\.0) : replies
        }

        /// Sends commands together, none of which may fail.
        func answers(to commands: [Command]) throws(RedisError) -> [Reply] {
            let replies = try replies(to: commands)
            for reply in replies { if let error = reply.error { throw error } }
            return replies
        }

        private static let asking = Command("ASKING")
    }
#endif
