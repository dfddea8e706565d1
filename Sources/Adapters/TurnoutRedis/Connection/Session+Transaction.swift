#if Redis
    extension Session {
        /// Carries out commands together or not at all, and returns what each answered.
        ///
        /// Where `MULTI` is not permitted, a server carries out what follows it nevertheless, one by one. So nothing
        /// follows it until the server has agreed, once on each connection.
        func transaction(_ commands: [Command]) throws(RedisError) -> [Reply] {
            let isPermitted = connection.permitsTransactions
            if !isPermitted {
                guard try answers(to: [.multi]) == [.ok] else { throw .misunderstood }
                connection.permitsTransactions = true
            }
            guard let answers = try commit(commands, begins: isPermitted) else { throw .misunderstood }
            return answers
        }

        /// Carries out commands together and ends the transaction, which this call begins or an earlier one has begun.
        ///
        /// - Returns: What each answered; nil: nothing was done, because somebody changed what is watched.
        func commit(_ commands: [Command], begins: Bool) throws(RedisError) -> [Reply]? {
            let all = (begins ? [.multi] : []) + commands + [.exec]
            var replies = try answers(to: all, isInTransaction: !begins)[...]
            if begins, replies.popFirst() != .ok { throw .misunderstood }
            let end = replies.popLast()
            guard replies.allSatisfy({ $0 == .text("QUEUED") }) else { throw .misunderstood }
            switch end {
            case .null: return nil
            case .array(let answers) where answers.count == commands.count: return answers
            default: throw .misunderstood
            }
        }

        /// Ends a transaction in which nothing is to be done, and watches nothing any more.
        func endTransaction() throws(RedisError) { _ = try replies(to: [.exec], isInTransaction: true) }
    }
#endif
